"""The status.json of an index folder in, how an indexing run stands out; every page may look without loading the PDF stack."""

import json
import os
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal, get_args

Phase = Literal["idle", "scanning", "reading", "embedding", "publishing"]

INTERRUPTED = "The last indexing run was interrupted; the next one goes on from the last finished file."
STATUS_FILE = "status.json"
STALE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class IngestStatus:
    """How far a run is; after it, `phase` is "idle" and `last_error` says why it failed, if it did.

    `who` started it: "cli" or "app". `page` of `pages` counts inside `file`, which is the one touched last; several are
    read at the same time, so `share`, 0 to 1, says how far all of it is.
    """

    phase: Phase = "idle"
    who: str = ""
    pid: int = 0
    file: str = ""
    page: int = 0
    pages: int = 0
    files_done: int = 0
    files_total: int = 0
    share: float = 0.0
    ts: float = 0.0
    last_error: str = ""

    @property
    def running(self) -> bool:
        return self.phase != "idle"


def read_status(index_dir: Path, *, now: float | None = None) -> IngestStatus:
    """What the last run wrote; a run that was killed or fell silent counts as idle, with that as its last error."""
    try:
        data = json.loads((index_dir / STATUS_FILE).read_text(encoding="utf-8"))
        status = IngestStatus(**{field.name: data[field.name] for field in fields(IngestStatus) if field.name in data})
        age = abs((time.time() if now is None else now) - float(status.ts))
        alive = process_exists(int(status.pid))
    except (OSError, ValueError, TypeError):
        return IngestStatus()
    if status.phase not in get_args(Phase):
        return IngestStatus()
    if status.running and (age > STALE_SECONDS or not alive):
        return IngestStatus(who=status.who, pid=status.pid, ts=status.ts, last_error=INTERRUPTED)
    return status


def process_exists(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it runs as another user
        return True
    return True
