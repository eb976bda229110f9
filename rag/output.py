"""A command in; its exit code out, also when whoever reads its output has gone, as `head` does after its lines."""

import os
import sys
from collections.abc import Callable

UNREAD = 141  # what a shell reports of a program that SIGPIPE ended


def printing(command: Callable[[], int]) -> int:
    """Runs a command that prints; what it still had to print to a reader that has gone is dropped without a word."""
    try:
        code = command()
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # the interpreter flushes once more at its end
        return UNREAD
    return code
