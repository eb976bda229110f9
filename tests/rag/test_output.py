"""A reader that stops reading: no traceback, and an exit code as of any program that wrote to nobody."""

import subprocess
import sys

from rag.config import PROJECT

PRINTS_A_LOT = "import sys; from rag.output import printing; sys.exit(printing(lambda: print('line\\n' * 100_000) or 3))"


def test_the_exit_code_is_the_commands_own():
    command = [sys.executable, "-c", PRINTS_A_LOT]
    assert subprocess.run(command, cwd=PROJECT, stdout=subprocess.DEVNULL, check=False).returncode == 3


def test_a_reader_that_has_gone_is_no_fault():
    command = [sys.executable, "-c", PRINTS_A_LOT]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 141
