"""A command and its options in; the index changed or described, with a report for people or as JSON, out."""

import argparse
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from rag.config import Config, load_config
from rag.errors import IndexBusy, IndexMissing, NoEarlierIndex, ProductError
from rag.output import printing

ALL_READ, SOME_FAILED, WRONG, BUSY, INTERRUPTED = 0, 1, 2, 75, 130

EXIT_CODES = """\
exit codes:
  0    all documents are read (verify: the index is sound)
  1    some documents could not be read, see the report (status, verify, rollback: also where there is no index or it is
       damaged; rollback: also where there is nothing to go back to)
  2    wrong usage or configuration, or the command could not be carried out
  75   another process is changing the index; see --wait
  130  interrupted; the next run goes on after the last finished document
"""

UNTIL_NEXT_SYNC = (
    "It stays live until the next sync, which brings the index up to date with the documents folder: one started by hand, "
    "by the start of the app, or by the running app when a file changes. To go back for good, put the files of then back."
)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGTERM, interrupt)
    try:
        config = load_config(options.config, documents=options.documents, index=options.index)
        return printing(lambda: options.command(config, options))
    except IndexBusy as error:
        print(error, file=sys.stderr)
        return BUSY
    except (IndexMissing, NoEarlierIndex) as error:
        print(error, file=sys.stderr)
        return SOME_FAILED
    except ProductError as error:
        print(error, file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print("Interrupted. The index is as it was; the next run goes on after the last finished document.", file=sys.stderr)
        return INTERRUPTED


def interrupt(signum: int, frame: Any) -> NoReturn:
    raise KeyboardInterrupt


def parse(arguments: list[str] | None) -> argparse.Namespace:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--documents", type=Path, metavar="DIR", help="the documents folder; overrides config.toml")
    common.add_argument("--index", type=Path, metavar="DIR", help="the index folder; overrides config.toml")
    common.add_argument("--config", type=Path, metavar="FILE", help="another config.toml; paths in it are relative to it")
    common.add_argument("--json", action="store_true", help="print the result as one JSON object")
    changing = argparse.ArgumentParser(add_help=False)
    changing.add_argument("--wait", type=seconds, default=0.0, metavar="SECONDS", help="how long to wait for another writer")
    changing.add_argument(
        "--confirm-removals", action="store_true", help="forget documents that are gone, even if that is most of them"
    )
    changing.add_argument("--started-by", choices=["cli", "app"], default="cli", help=argparse.SUPPRESS)
    changing.add_argument("--gently", action="store_true", help="leave the processor to other programs")

    parser = argparse.ArgumentParser(
        prog="python -m ingestion",
        description="Keeps the index in step with the documents folder.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[Config, argparse.Namespace], int], summary: str, *parents: Any) -> None:
        added = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            parents=[common, *parents],
            epilog=EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(command=command, name=name)

    add("sync", sync_command, "read what is new or changed, forget what is gone", changing)
    add("watch", watch_command, "keep following the folder until stopped")
    add("rebuild", sync_command, "read everything again; the old index serves until the new one is ready", changing)
    add("status", status_command, "list every document with its outcome, what needs attention first")
    add("rollback", rollback_command, "go back to the previous generation of the index, until the next sync")
    add("verify", verify_command, "check every byte of the index")
    filings = argparse.ArgumentParser(add_help=False)
    filings.add_argument("--ticker", required=True, help="the company's ticker, for example AAPL")
    filings.add_argument("--form", default="10-K", help="the form, for example 10-K, 10-Q or 8-K (default: 10-K)")
    filings.add_argument("--count", type=positive, default=1, metavar="N", help="how many of the newest to fetch (default: 1)")
    filings.add_argument(
        "--user-agent",
        metavar="CONTACT",
        help='who you are, as the SEC asks: "Organisation you@example.com"; else SEC_USER_AGENT',
    )
    add("edgar", edgar_command, "fetch a company's filings from SEC EDGAR into the documents folder", filings)
    return parser.parse_args(arguments)


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return value


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no positive whole number")
    return int(text)


def sync_command(config: Config, options: argparse.Namespace) -> int:
    from ingestion.pipeline import sync
    from ingestion.terminal import progress_line, show_report

    if options.gently:
        os.nice(10)
    with progress_line(quiet=options.json) as progress:
        report = sync(
            config,
            progress=progress,
            rebuild=options.name == "rebuild",
            confirm_mass_removal=options.confirm_removals,
            wait_seconds=options.wait,
            started_by=options.started_by,
        )
    print_json(report) if options.json else show_report(report)
    return SOME_FAILED if report.failed else ALL_READ


def watch_command(config: Config, options: argparse.Namespace) -> int:
    from ingestion.pipeline import sync
    from ingestion.terminal import progress_line, show_report
    from ingestion.watcher import Watcher
    from rag.embedding import open_embedder

    embedder = open_embedder(config)

    def run() -> int:
        try:
            with progress_line(quiet=options.json) as progress:
                report = sync(config, embedder=embedder, progress=progress)
        except IndexBusy:
            return BUSY
        print_json(report) if options.json else show_report(report)
        return SOME_FAILED if report.failed else ALL_READ

    if not options.json:
        print(f"Watching {config.documents.directory}; stop with Ctrl-C.")
    watcher = Watcher(config, run=run)
    try:
        watcher.watch()
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
    return ALL_READ


def status_command(config: Config, options: argparse.Namespace) -> int:
    from ingestion.pipeline import status
    from ingestion.terminal import show_status

    found = status(config)
    print_json(found) if options.json else show_status(found)
    failed = any(file.outcome == "failed" for file in found.files)
    return SOME_FAILED if failed or found.problem else ALL_READ


def rollback_command(config: Config, options: argparse.Namespace) -> int:
    from ingestion.store import rollback, writer_lock
    from rag.generation import pointer, read_manifest

    pointer(config.documents.index)  # raises where there is no index: the lock would make its folder
    with writer_lock(config.documents.index):
        name = rollback(config.documents.index)
        made_on = read_manifest(config.documents.index / name).made_on
    if options.json:
        print(json.dumps({"generation": name}))
    else:
        print(f"The live index is {name} of {made_on} again. {UNTIL_NEXT_SYNC}")
    return ALL_READ


def verify_command(config: Config, options: argparse.Namespace) -> int:
    from ingestion.store import verify

    problems = verify(config.documents.index)
    if options.json:
        print(json.dumps({"problems": problems}, ensure_ascii=False))
    else:
        print("\n".join(problems) or "The index is sound: every file of it is as it was written.")
    return SOME_FAILED if problems else ALL_READ


def edgar_command(config: Config, options: argparse.Namespace) -> int:
    from ingestion import edgar

    service = edgar.Edgar(options.user_agent or os.environ.get("SEC_USER_AGENT", ""))
    tell = (lambda line: None) if options.json else print
    folder = config.documents.directory
    paths = edgar.fetch(service, options.ticker, options.form, count=options.count, directory=folder, tell=tell)
    if options.json:
        print(json.dumps({"files": [path.relative_to(folder).as_posix() for path in paths]}, ensure_ascii=False))
    else:
        print("Run `python -m ingestion sync` to index what is new.")
    return ALL_READ


def print_json(result: Any) -> None:
    """The fields of the result, the documents' among them, and the coverage."""
    from rag.coverage import coverage
    from rag.records import to_plain

    print(json.dumps({**to_plain(result), "coverage": to_plain(coverage(result.files))}, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
