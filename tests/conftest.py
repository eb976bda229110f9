"""What every test gets: no way out to the network, no keys, and the project's configuration with folders of its own."""

import ipaddress
import socket

import pytest

from rag.config import Config, load_config

SECRETS = (
    "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION",
    "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "OLLAMA_HOST", "DATABASE_URL", "PROCUREMENT_CONFIG",
)  # fmt: skip


class NetworkRefused(AssertionError):
    pass


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name lookup or connection beyond the loopback interface fails the test, also inside a library that would hide it."""
    lookup, connect = socket.getaddrinfo, socket.socket.connect

    def is_local(host: object) -> bool:
        name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return name == "localhost"

    def guarded_lookup(host, *arguments, **options):
        if not is_local(host):
            raise NetworkRefused(f"a test looked up {host}")
        return lookup(host, *arguments, **options)

    def guarded_connect(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not is_local(address[0]):
            raise NetworkRefused(f"a test connected to {address}")
        return connect(self, address)

    monkeypatch.setattr(socket, "getaddrinfo", guarded_lookup)
    monkeypatch.setattr(socket.socket, "connect", guarded_connect)


@pytest.fixture(autouse=True)
def no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The developer's own keys and endpoints reach no test."""
    for name in SECRETS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")


@pytest.fixture
def config(tmp_path) -> Config:
    """The project's config.toml with documents, index and history under the test's own folder."""
    return load_config(documents=tmp_path / "data", index=tmp_path / "index").with_values(
        history={"database": f"sqlite:///{tmp_path}/history.sqlite"}
    )
