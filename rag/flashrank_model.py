"""FlashRank behind a scoring function: a question and texts in, relevance from 0 to 1 out; its quirks end here."""

import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol
from urllib.request import urlopen

from rag.config import Rerank
from rag.errors import MissingPackage, RerankerUnavailable

# ONNX Runtime, which FlashRank imports, reports usage from Linux unless this is set before its first import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# Of the published archives we know; FlashRank itself checks nothing.
ARCHIVE_SHA256 = {"ms-marco-TinyBERT-L-2-v2": "752eddf1c5ece3c5e6115e9ab52eb3b16436bbf9b3a091cbb62b5b8eadc47105"}
ARCHIVE_MEGABYTES = 200  # no archive is larger; a server that sends more is not the one we asked
CONNECT_SECONDS = 3.0  # without a byte
DOWNLOAD_SECONDS = 4.0  # until the first byte; name resolution alone can hang for longer, so a thread is waited for
RETRY_AFTER_SECONDS = 24 * 3600.0  # a failed download is remembered on disk, so that restarts don't wait for it again
WINDOW_CHARACTERS = 1500  # about 350 tokens: with the question under the 512 that the models read
WINDOW_OVERLAP = 300

log = logging.getLogger(__name__)


class PairScorer(Protocol):
    """Scores texts for a question, in their order, from 0 to 1."""

    name: str

    def score(self, question: str, texts: Sequence[str]) -> list[float]: ...


class FlashrankScorer:
    """FlashRank's model, tokenizer and scoring.

    Its constructor is not used: it calls logging.basicConfig, downloads without a timeout into /tmp and leaves ONNX
    Runtime every thread of the machine. Its `rerank` sorts and changes what it is given, so it gets copies.
    """

    def __init__(self, folder: Path, *, threads: int = 2, max_tokens: int = 512) -> None:
        try:
            from flashrank import Ranker, RerankRequest
            from flashrank.Config import model_file_map
        except ImportError as error:
            raise MissingPackage("flashrank", "Reranking") from error
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.name = folder.name
        self.request = RerankRequest
        self.ranker = Ranker.__new__(Ranker)
        self.ranker.logger = NoLog()
        self.ranker.model_dir = folder
        self.ranker.llm_model = None
        try:
            self.ranker.session = onnxruntime.InferenceSession(str(folder / model_file_map[folder.name]), options)
            self.ranker.tokenizer = self.ranker._get_tokenizer(max_tokens)
        except Exception as error:  # ONNX Runtime and tokenizers raise types of their own
            raise RerankerUnavailable(
                f"FlashRank's model in {folder} can't be loaded ({error}): delete that folder so that it is fetched again."
            ) from error

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """The relevance of each text; a long one by its best window, since the model reads no more than its limit."""
        owners: list[int] = []
        passages: list[dict[str, object]] = []
        for number, text in enumerate(texts):
            for window in windows(text):
                passages.append({"id": len(owners), "text": window})
                owners.append(number)
        if not passages:
            return []
        best = [0.0] * len(texts)
        for passage in self.ranker.rerank(self.request(query=question, passages=passages)):
            owner = owners[passage["id"]]
            best[owner] = max(best[owner], float(passage["score"]))
        return best


class NoLog:
    """FlashRank logs each call at debug level to a logger that its constructor would have set up."""

    def debug(self, message: str) -> None:
        """Nothing: the trace says what was scored."""


def windows(text: str) -> list[str]:
    """The text in overlapping stretches cut between words; itself where it is short."""
    if len(text) <= WINDOW_CHARACTERS:
        return [text]
    found: list[str] = []
    start = 0
    while True:
        end = start + WINDOW_CHARACTERS
        if end >= len(text):
            return [*found, text[start:]]
        end = text.rfind(" ", start + WINDOW_CHARACTERS - WINDOW_OVERLAP, end) + 1 or end
        found.append(text[start:end])
        start = text.rfind(" ", start, end - WINDOW_OVERLAP) + 1 or end - WINDOW_OVERLAP


opened: dict[tuple[str, str], FlashrankScorer | RerankerUnavailable] = {}
opening = threading.Lock()


def open_flashrank(settings: Rerank, *, threads: int = 2) -> FlashrankScorer:
    """The scorer of the configured model, opened once a process. Raises RerankerUnavailable, also remembered."""
    key = settings.model, str(settings.cache)
    with opening:
        if key not in opened:
            try:
                opened[key] = FlashrankScorer(model_folder(settings), threads=threads)
            except RerankerUnavailable as unavailable:
                opened[key] = unavailable
        found = opened[key]
    if isinstance(found, RerankerUnavailable):
        raise found
    return found


def model_folder(settings: Rerank) -> Path:
    """The folder with the model's files, fetched once if they are not there and the configuration allows it."""
    from flashrank.Config import listwise_rankers, model_file_map

    pairwise = sorted(set(model_file_map) - set(listwise_rankers))
    if settings.model not in pairwise:
        raise RerankerUnavailable(f'[rerank] model "{settings.model}" is not one of FlashRank\'s: {", ".join(pairwise)}.')
    folder = settings.cache / settings.model
    if (folder / model_file_map[settings.model]).is_file():
        return folder
    if not settings.download:
        raise RerankerUnavailable(f"FlashRank's model is not in {folder}: put its files there or set [rerank] download = true.")
    failed = settings.cache / f"{settings.model}.failed"
    unreachable = (
        "FlashRank's model could not be fetched. It is tried again a day later; without network its files can be put into "
        f"{folder}."
    )
    if failed.is_file() and time.time() - failed.stat().st_mtime < RETRY_AFTER_SECONDS:
        raise RerankerUnavailable(unreachable)
    try:
        settings.cache.mkdir(parents=True, exist_ok=True)
        download(settings.model, folder)
    except OSError as error:
        log.info("FlashRank's model could not be fetched: %s. Delete %s to try again at the next start.", error, failed)
        with contextlib.suppress(OSError):  # a cache that can't be written only means that the next start tries again
            failed.write_text(f"{error}\n", encoding="utf-8")
        raise RerankerUnavailable(unreachable) from error
    failed.unlink(missing_ok=True)
    return folder


def download(model: str, folder: Path) -> None:
    """Fetches and unpacks a model's archive beside its folder and moves it there whole. Raises OSError."""
    from flashrank.Config import model_url

    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as temporary:
        archive = Path(temporary) / "model.zip"
        fetch(model_url.format(model), archive)
        wanted = ARCHIVE_SHA256.get(model)
        if wanted and hashlib.sha256(archive.read_bytes()).hexdigest() != wanted:
            raise OSError("the archive is not the published one")
        try:
            with zipfile.ZipFile(archive) as zipped:
                zipped.extractall(temporary)
        except zipfile.BadZipFile as error:
            raise OSError("the archive is damaged") from error
        if not (Path(temporary) / model).is_dir():
            raise OSError(f"the archive holds no folder {model}")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(Path(temporary) / model, folder)


def fetch(url: str, target: Path) -> None:
    """Copies a URL to a file; gives up when nothing has arrived in time. Raises OSError."""
    arrived = threading.Event()
    failure: list[BaseException] = []
    done = threading.Event()

    def copy() -> None:
        try:
            with urlopen(url, timeout=CONNECT_SECONDS) as response, target.open("wb") as file:
                for _ in range(ARCHIVE_MEGABYTES * 16):
                    block = response.read(65536)
                    arrived.set()
                    if not block:
                        return
                    file.write(block)
                raise OSError("the archive is larger than any FlashRank model")
        except BaseException as error:
            failure.append(error)
        finally:
            arrived.set()
            done.set()

    threading.Thread(target=copy, daemon=True, name="flashrank-download").start()
    if not arrived.wait(DOWNLOAD_SECONDS):
        raise OSError(f"no answer within {DOWNLOAD_SECONDS:.0f} s")
    done.wait()  # bytes are flowing; a pause longer than CONNECT_SECONDS ends the copy
    if failure:
        raise OSError(str(failure[0])) from failure[0]
