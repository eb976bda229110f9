"""What can be wrong with a file, each as a reason and a next step for the admin."""

import re
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PIL import UnidentifiedImageError

from rag.domain import FileOutcome, Page
from rag.errors import ReadingError

HEAD = 4096  # bytes looked at to tell what a file really is
EMPTY_TREE = re.compile(rb"/Type\s*/Pages\b[^>]{0,200}/Kids\s*\[\s*\]|/Kids\s*\[\s*\][^>]{0,200}/Type\s*/Pages\b")
PASSWORD_STEP = 'Add its password to PDF_PASSWORDS in .env, or as password = "…" to {name}.toml beside the file.'
TOO_MUCH_TEXT = "it holds more text than a page of a document can have"
DESTROYED = "what it should draw is destroyed"
NEEDS_MEMORY = "it needs more memory than memory_mb in config.toml allows"
NOT_READ = "not read: the file has more pages than max_pages = {limit} in config.toml allows"


def encrypted(path: Path, *, tried: int) -> ReadingError:
    tries = f" None of the {tried} known passwords opens it." if tried else ""
    return ReadingError(f"It is encrypted and opens only with a password.{tries}", PASSWORD_STEP.format(name=path.name))


def vanished(error: OSError) -> ReadingError:
    if isinstance(error, FileNotFoundError):
        return ReadingError("It was removed while the folder was read.", "Nothing to do: the next run leaves it out.")
    return ReadingError(
        f"It can't be opened: {error.strerror or error}.", "Give the user that runs the app permission to read it."
    )


def too_large(size: int, limit_mb: int) -> ReadingError:
    return ReadingError(
        f"It has {size / 1e6:.0f} MB; files above {limit_mb} MB are not read.",
        "Split it, or raise max_file_mb under [documents] in config.toml.",
    )


def changed() -> ReadingError:
    return ReadingError("It changed while it was read.", "Nothing to do: the next run reads it again.")


def no_pages() -> ReadingError:
    return ReadingError("It is a PDF without pages.", "Export or download it again.")


def has_no_pages(path: Path) -> bool:
    """Whether a file that can't be opened is a PDF whose page tree is empty."""
    head, tail = ends_of(path)
    return b"%PDF-" in head and any(EMPTY_TREE.search(part) for part in (head, tail))


def ends_of(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        head = file.read(HEAD)
        file.seek(max(0, path.stat().st_size - HEAD))
        return head, file.read()


def unreadable(path: Path) -> ReadingError:
    """What is wrong with a file that PDFium can't open, told from its first and last bytes."""
    head, tail = ends_of(path)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\0").lower()
    if not head:
        return ReadingError("It is empty (0 bytes).", "Copy or download it again.")
    if start.startswith((b"<!doctype html", b"<html", b"<?xml", b"<head", b"<body")):
        return ReadingError(
            "It is a web page saved under the name of a PDF, most likely an error or sign-in page.",
            "Download the document again and open it once to check.",
        )
    if head.startswith(b"\xd0\xcf\x11\xe0") or b"Microsoft.IRMServices" in head or b"DataSpaces" in head:
        return ReadingError(
            "It is wrapped by rights management (or is an old Office file), so only permitted programs can read it.",
            "Ask its owner for a copy without protection, or save it as a plain PDF.",
        )
    if head.startswith(b"PK\x03\x04"):
        return ReadingError("It is a zip or Office file under the name of a PDF.", "Save it as a PDF.")
    if b"%PDF-" not in head:
        return ReadingError("It is not a PDF: it has no PDF header.", "Replace it with the PDF, or remove it.")
    if b"%%EOF" not in tail:
        return ReadingError("It is cut off: the end of the file is missing.", "Copy or download it again.")
    return ReadingError("It is damaged: its structure can't be read.", "Open it in a PDF reader and save it again.")


def damaged(error: Exception) -> ReadingError:
    return ReadingError(
        f"It is damaged: its structure can't be read ({type(error).__name__}: {str(error)[:200]}).",
        "Open it in a PDF reader and save it again.",
    )


def bad_picture(error: Exception) -> ReadingError:
    why = "its content is not that of an image file" if isinstance(error, UnidentifiedImageError) else str(error)[:200]
    return ReadingError(f"It is not a picture that can be read: {why.rstrip('.')}.", "Save it again as PNG.")


def needs_memory(memory_mb: int) -> ReadingError:
    return ReadingError(
        f"It could not be opened within memory_mb = {memory_mb} in config.toml.",
        "Split it, or raise memory_mb under [reading] in config.toml.",
    )


def rights_management_page(texts: Sequence[str]) -> bool:
    """Whether all there is to read is the notice that a rights-management wrapper shows to other programs."""
    text = " ".join(texts).lower()
    phrases = (
        "this pdf file is protected", "this document is protected", "microsoft information protection",
        "azure rights management", "protected by rights management", "download a protected pdf reader",
    )  # fmt: skip
    return len(texts) <= 2 and len(text) < 1500 and any(phrase in text for phrase in phrases)


def rights_managed() -> ReadingError:
    return ReadingError(
        "It is wrapped by rights management: other programs see only a notice about the protection.",
        "Ask its owner for a copy without protection.",
    )


def page_too_slow(seconds: float) -> str:
    return f"it took longer than page_seconds = {seconds:g} in config.toml"


def file_too_slow(seconds: float) -> str:
    return f"not read: the file took longer than file_seconds = {seconds:g} in config.toml"


def crashed(return_code: int, memory_mb: int) -> str:
    """Why the child process died, for a page's reason."""
    if return_code == -signal.SIGXCPU:
        return "it needed more processor time than page_seconds in config.toml"
    if return_code in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGTRAP, -signal.SIGILL, -signal.SIGBUS):
        return f"the PDF library gave up on it, most likely for want of memory (memory_mb = {memory_mb} in config.toml)"
    if return_code == -signal.SIGKILL:
        return "the system ended its process, most likely for want of memory"
    return f"its process ended (code {return_code})"


def outcome_of(pages: Sequence[Page]) -> tuple[FileOutcome, str, str]:
    """The file's outcome, reason and next step from those of its pages."""
    counted = Counter(page.outcome for page in pages)
    failed = [page for page in pages if page.outcome == "failed"]
    if not failed:
        reason = "" if counted["text"] or counted["ocr"] else "None of its pages holds text."
        return "read", reason, ""
    whys = Counter(page.reason for page in failed).most_common(2)
    reason = f"{len(failed)} of {len(pages)} pages could not be read: " + "; ".join(
        f"{page_list([page.number for page in failed if page.reason == why])}: {why}" for why, _ in whys
    )
    steps = [step for part, step in NEXT_STEPS if any(part in why for why, _ in whys)]
    step = steps[0] if steps else "Open the file and check these pages."
    return ("partly" if counted["text"] or counted["ocr"] else "failed"), reason + ".", step


NEXT_STEPS = (
    ("no OCR engine", 'Run `make setup`, which installs Tesseract, and set engine = "auto" under [ocr] in config.toml.'),
    (DESTROYED, "Open the file: where these pages are blank there too, copy or download it again."),
    ("max_pages", "Raise max_pages under [reading] in config.toml, or split the file."),
    ("file_seconds", "Raise file_seconds under [reading] in config.toml, or split the file."),
    ("page_seconds", "Open these pages and check them; raise page_seconds under [reading] in config.toml if they are sound."),
    ("memory", "Open these pages and check them; raise memory_mb under [reading] in config.toml if they are sound."),
)  # fmt: skip


def page_list(numbers: Sequence[int]) -> str:
    """ "page 3", "pages 3-9, 12"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    shown = ", ".join(parts[:5]) + (", …" if len(parts) > 5 else "")
    return f"page{'s' if len(numbers) > 1 else ''} {shown}"
