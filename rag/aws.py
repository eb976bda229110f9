"""The configuration in; Bedrock clients, and what their errors mean to a person, out: the one place that knows boto3."""

import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import boto3
import botocore.session
from botocore.client import Config as ClientConfig
from botocore.eventstream import ParserError
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)
from urllib3.exceptions import HTTPError as ConnectionFault

from rag.config import Config

T = TypeVar("T")

# Bedrock's failures reach Python as any of these: botocore's own, urllib3's where a stream breaks, and langchain-aws's
# ConnectionError where a stream ends without its last event.
FAILURES = (BotoCoreError, ClientError, ParserError, ConnectionFault, ConnectionError)
CONNECT_SECONDS = 10
SIGN_IN = "Sign in again (`aws sso login`) or put new keys into .env."
EXPIRED = ("expiredtoken", "requestexpired")
UNKNOWN_KEYS = (
    "unrecognizedclient", "invalidclienttokenid", "invalidsignature", "signaturedoesnotmatch", "missingauthenticationtoken",
)  # fmt: skip
PASSING = (
    "modelnotready", "modeltimeout", "modelerror", "modelstreamerror", "internalserver", "internalfailure",
    "serviceunavailable",
)  # fmt: skip
ON_DEMAND = "use an inference profile id such as global.anthropic.claude-sonnet-4-6"


@dataclass(frozen=True, slots=True)
class Failure:
    """`cause` and `fix` are sentences; `retryable` where the same request may succeed a moment later."""

    cause: str
    fix: str
    retryable: bool = False


def region(config: Config) -> str:
    """[bedrock] region, else AWS_REGION, AWS_DEFAULT_REGION or the AWS profile's; "" where none is set."""
    if config.bedrock.region or os.environ.get("AWS_REGION"):
        return config.bedrock.region or os.environ["AWS_REGION"]
    try:
        return botocore.session.Session().get_config_variable("region") or ""
    except BotoCoreError:  # AWS_PROFILE names a profile that is not there
        return ""


def has_credentials() -> bool:
    """A Bedrock API key, or whatever boto3 finds; on a machine of AWS that asks its metadata service (one second at most)."""
    if os.environ.get("AWS_BEARER_TOKEN_BEDROCK"):
        return True
    try:
        return botocore.session.Session().get_credentials() is not None
    except BotoCoreError:
        return False


def client(config: Config, service: str = "bedrock-runtime") -> Any:
    """A client that does not retry by itself: `retrying` does, so that a stopped answer is not retried behind its back."""
    settings = ClientConfig(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=config.llm.timeout_seconds,
        retries={"mode": "standard", "total_max_attempts": 1},
        max_pool_connections=20,
    )
    return boto3.Session().client(service, region_name=region(config) or None, config=settings)


def endpoint(config: Config) -> str:
    return client(config).meta.endpoint_url


def waits(retries: int) -> Iterator[float]:
    """Seconds before each retry: doubling from one to 20, each cut by a random share so that clients don't return together.

    https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
    """
    for attempt in range(retries):
        yield min(20.0, 2.0**attempt) * random.uniform(0.25, 1.0)


def retrying(call: Callable[[], T], *, retries: int, model: str, where: str, sleep: Callable[[float], None] = time.sleep) -> T:
    """What `call` returns; a retryable failure is tried again after a pause, the last one is raised."""
    for wait in waits(retries):
        try:
            return call()
        except FAILURES as error:
            if not explain(error, model=model, where=where).retryable:
                raise
            sleep(wait)
    return call()


def explain(error: Exception, *, model: str, where: str) -> Failure:
    """What a failure of Bedrock means and what to do; `where` is the region."""
    if isinstance(error, ClientError):
        return explain_code(code_of(error), str(error.response.get("Error", {}).get("Message", "")), model, where)
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return Failure("There are no AWS credentials.", "Put keys, a profile or AWS_BEARER_TOKEN_BEDROCK into .env.")
    if isinstance(error, NoRegionError):
        return Failure("No AWS region is set.", "Set [bedrock] region in config.toml or AWS_REGION in .env.")
    if isinstance(error, ProfileNotFound):
        return Failure(f"{error}.", "Correct AWS_PROFILE in .env.")
    if isinstance(error, SSOError | TokenRetrievalError):
        return Failure("The AWS sign-in has expired.", SIGN_IN)
    reason = type(error).__name__
    if "timeout" in reason.lower():
        return Failure("Bedrock did not answer in time.", "Try again; if it stays so, raise [llm] timeout_seconds.", True)
    return Failure(
        f"The connection to Bedrock in {where} failed ({reason}).", "Check the network, the proxy and the region.", True
    )


def code_of(error: ClientError) -> str:
    """The error code in small letters: camelCase inside a stream, PascalCase outside."""
    return str(error.response.get("Error", {}).get("Code", "")).lower().removesuffix("exception")


def explain_code(code: str, message: str, model: str, where: str) -> Failure:
    if code in ("throttling", "toomanyrequests"):
        return Failure(f"Bedrock is throttling requests for {model}.", "Wait a minute, or ask AWS for a higher quota.", True)
    if code == "servicequotaexceeded":
        return Failure(f"The AWS quota for {model} is used up.", "Ask AWS for a higher quota in Service Quotas.")
    if code == "accessdenied":
        fix = f"Enable it under Bedrock, Model access, in {where}, and allow bedrock:InvokeModelWithResponseStream."
        return Failure(f"AWS does not let these credentials use {model}.", fix)
    if code in EXPIRED:
        return Failure("The AWS credentials have expired.", SIGN_IN)
    if code in UNKNOWN_KEYS:
        return Failure("AWS does not accept these credentials.", "Check the keys or the API key in .env, and the clock.")
    if code == "resourcenotfound":
        return Failure(f"Bedrock has no model {model} in {where}.", f"Correct [bedrock] model or region; {ON_DEMAND}.")
    if code == "validation":
        return explain_validation(message, model)
    if code in PASSING:
        return Failure(f"Bedrock could not run {model} just now ({code}).", "Try again in a moment.", True)
    return Failure(f"Bedrock refused the request: {message or code}.", "Check [bedrock] in config.toml.")


def explain_validation(message: str, model: str) -> Failure:
    small = message.lower()
    if "on-demand throughput" in small:
        return Failure(f"Bedrock does not run {model} under this id.", f"In [bedrock] model {ON_DEMAND}.")
    if "too long" in small:
        return Failure(f"The prompt is longer than {model} can read.", "Lower [context] max_tokens in config.toml.")
    if "identifier is invalid" in small:
        return Failure(f"Bedrock knows no model {model}.", f"Correct [bedrock] model: {ON_DEMAND}.")
    return Failure(f"Bedrock refused the request for {model}: {message}", "Check [bedrock] and [llm] in config.toml.")
