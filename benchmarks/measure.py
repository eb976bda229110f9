"""A command in, its wall seconds, the peak memory of its whole process tree and the JSON it printed out."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import psutil

from rag.config import PROJECT

SAMPLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Measurement:
    """`peak_mb` is the largest sum of resident memory over the process and its children, sampled 20 times a second."""

    seconds: float
    peak_mb: float
    printed: dict


def measure(arguments: Sequence[str]) -> Measurement:
    """Runs `python -m ARGUMENTS` from the project's folder; its last line of output must be a JSON object."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *arguments], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    peak = [0.0]
    sampler = threading.Thread(target=sample_memory, args=(process, peak), daemon=True)
    sampler.start()
    printed, _ = process.communicate()
    seconds = time.perf_counter() - started
    sampler.join()
    if process.returncode not in (0, 1):  # 1: some files could not be read, which both sides report
        raise RuntimeError(f"{' '.join(arguments)} ended with exit code {process.returncode}")
    return Measurement(seconds=seconds, peak_mb=peak[0] / 2**20, printed=json.loads(printed.strip().splitlines()[-1]))


def sample_memory(process: subprocess.Popen, peak: list[float]) -> None:
    root = psutil.Process(process.pid)
    while process.poll() is None:
        peak[0] = max(peak[0], tree_memory(root))
        time.sleep(SAMPLE_SECONDS)


def tree_memory(root: psutil.Process) -> float:
    try:
        members = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0
    total = 0.0
    for member in members:
        try:
            total += member.memory_info().rss
        except psutil.NoSuchProcess:
            continue  # it ended between listing and looking
    return total
