"""Every error this product raises on purpose; its text names the thing, the place and the next step.

ProductError
├── ConfigError            config.toml, .env or a command-line value is wrong
├── GlossaryError          glossary.csv can't be used as it is
├── IndexFault             something about the index on disk
│   ├── IndexMissing       there is no index yet
│   ├── NoEarlierIndex     there is no earlier generation to go back to
│   ├── IndexDamaged       a file of a generation is missing or fails its sha256
│   ├── IndexMismatch      built with another embedder or schema than the configuration asks for
│   └── IndexBusy          another writer holds the lock (exit code 75)
├── ReadingError           one document can't be read; carries outcome, reason and next step
├── FetchError             a document can't be fetched from where it is published
├── EmbeddingError         the embedder can't be loaded or did not answer
├── RerankerUnavailable    FlashRank's model can't be had; retrieval goes on without it
├── RulesUnavailable       the approval rules can't be kept in Neo4j; the embedded graph answers instead
├── ModelError             the language model failed; carries cause and fix
└── MissingPackage         an optional package is needed for what was asked

The user interface shows the text of these; anything else is a bug and is logged with its traceback.
"""


class ProductError(Exception):
    """Base of the errors whose text is meant for people."""


class ConfigError(ProductError):
    pass


class GlossaryError(ProductError):
    pass


class IndexFault(ProductError):
    pass


class IndexMissing(IndexFault):
    pass


class NoEarlierIndex(IndexFault):
    pass


class IndexDamaged(IndexFault):
    pass


class IndexMismatch(IndexFault):
    pass


class IndexBusy(IndexFault):
    pass


class ReadingError(ProductError):
    """A document that can't be read: `reason` and `next_step` are sentences for the admin."""

    def __init__(self, reason: str, next_step: str = "") -> None:
        super().__init__(f"{reason} {next_step}".strip())
        self.reason = reason
        self.next_step = next_step


class FetchError(ProductError):
    pass


class EmbeddingError(ProductError):
    pass


class RerankerUnavailable(ProductError):
    pass


class RulesUnavailable(ProductError):
    pass


class ModelError(ProductError):
    """A language model that failed: `cause` says what happened, `fix` what to do; `retryable` if trying again may help."""

    def __init__(self, cause: str, fix: str = "", *, retryable: bool = False) -> None:
        super().__init__(f"{cause} {fix}".strip())
        self.cause = cause
        self.fix = fix
        self.retryable = retryable


class MissingPackage(ProductError):
    def __init__(self, package: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package}: run `.venv/bin/pip install {package}`.")
