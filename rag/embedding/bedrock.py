"""Texts in, unit vectors of an embedding model on AWS Bedrock out: Titan one text a call, Cohere 96."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np

from rag import aws
from rag.config import Config
from rag.embedding import Progress
from rag.embedding.vectors import unit_rows
from rag.errors import EmbeddingError
from rag.token_estimate import estimate_tokens

PARALLEL_CALLS = 4  # AWS limits embedding models by requests a minute, not by how many run at once


@dataclass(frozen=True, slots=True)
class Family:
    """What a family of models takes: texts a call, characters a text, tokens a text, and the size of its vectors."""

    texts: int
    characters: int
    tokens: int
    dimension: int


# https://docs.aws.amazon.com/bedrock/latest/userguide/titan-embedding-models.html and .../model-parameters-embed.html
FAMILIES = {
    "amazon.titan-embed-text-v2": Family(texts=1, characters=50_000, tokens=8192, dimension=1024),
    "amazon.titan-embed-text-v1": Family(texts=1, characters=50_000, tokens=8192, dimension=1536),
    "cohere.embed-english-v3": Family(texts=96, characters=2048, tokens=512, dimension=1024),
    "cohere.embed-multilingual-v3": Family(texts=96, characters=2048, tokens=512, dimension=1024),
    "cohere.embed-v4": Family(texts=96, characters=100_000, tokens=128_000, dimension=1536),
}


class BedrockEmbedder:
    def __init__(self, config: Config) -> None:
        self.config = config
        self.model = config.embedding.bedrock_model
        self.family = family_of(self.model)
        self.name = f"{self.model} (AWS Bedrock)"
        self.dimension = self.family.dimension
        self.fingerprint = f"bedrock:{self.model}:{self.dimension}"
        self.max_tokens = self.family.tokens
        try:
            self.client = aws.client(config)
        except aws.FAILURES as error:
            raise self.explained(error) from error

    def embed_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        starts = range(0, len(texts), self.family.texts)
        done = 0
        with ThreadPoolExecutor(PARALLEL_CALLS) as pool:
            calls = {
                pool.submit(self.embed, texts[at : at + self.family.texts], input_type="search_document"): at for at in starts
            }
            try:
                for call in as_completed(calls):
                    at, found = calls[call], call.result()
                    vectors[at : at + len(found)] = found
                    done += len(found)
                    if progress:
                        progress(done, len(texts))
            except EmbeddingError:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return vectors

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed([text], input_type="search_query")[0]

    def embed(self, texts: Sequence[str], *, input_type: str) -> np.ndarray:
        """One call, tried again while Bedrock throttles or is unwell."""
        body = json.dumps(self.request([text[: self.family.characters] or " " for text in texts], input_type))

        def call():
            response = self.client.invoke_model(modelId=self.model, body=body, contentType="application/json")
            return json.loads(response["body"].read())

        try:
            answer = aws.retrying(call, retries=self.config.llm.retries, model=self.model, where=aws.region(self.config))
        except aws.FAILURES as error:
            raise self.explained(error) from error
        return unit_rows(self.vectors_of(answer), count=len(texts), dimension=self.dimension, model=self.model)

    def request(self, texts: list[str], input_type: str) -> dict:
        if self.family.texts == 1:
            sized = {"dimensions": self.dimension, "normalize": True} if "text-v2" in self.model else {}
            return {"inputText": texts[0], **sized}
        if "embed-v4" in self.model:
            shape = {"output_dimension": self.dimension, "embedding_types": ["float"]}
            return {"texts": texts, "input_type": input_type, "truncate": "RIGHT", **shape}
        return {"texts": texts, "input_type": input_type, "truncate": "END"}

    def vectors_of(self, answer: dict) -> list:
        if self.family.texts == 1:
            return [answer.get("embedding")]
        found = answer.get("embeddings") or []
        return found["float"] if isinstance(found, dict) else found

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate on the high side: AWS does not publish these models' tokenizers."""
        return [estimate_tokens(text) for text in texts]

    def explained(self, error: Exception) -> EmbeddingError:
        failure = aws.explain(error, model=self.model, where=aws.region(self.config) or "an unset region")
        return EmbeddingError(f"{failure.cause} {failure.fix}")


def family_of(model: str) -> Family:
    """By the model's name wherever it stands in an id or ARN ("eu.cohere.embed-v4:0")."""
    for name, family in FAMILIES.items():
        if name in model:
            return family
    raise EmbeddingError(f"[embedding] bedrock_model is {model}: it must be one of {', '.join(FAMILIES)} (with its version).")
