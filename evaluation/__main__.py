"""python -m evaluation run | ablate | calibrate | import: measures the product on golden questions, ours or yours."""

import argparse
import json
import sys
from pathlib import Path

from evaluation.golden import load_golden
from evaluation.importers import IMPORTERS
from rag.config import PROJECT, Config, load_config
from rag.embedding import open_embedder
from rag.errors import ProductError

SAMPLE = PROJECT / "evaluation" / "golden" / "sample.jsonl"
CALIBRATION = PROJECT / "evaluation" / "golden" / "calibration.jsonl"
BASELINE = PROJECT / "evaluation" / "baseline" / "sample.json"


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return options.command(options)
    except ProductError as error:
        print(error, file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="score golden questions and write a report with the failures listed")
    add_places(run, questions=SAMPLE)
    run.add_argument("--out", type=Path, help="write the whole result as JSON to this file")
    run.add_argument("--html", type=Path, help="write a readable report to this file")
    run.add_argument("--search-only", action="store_true", help="score the search, write no answers")
    run.add_argument("--baseline", action="store_true", help="keep this result as the committed baseline")
    run.set_defaults(command=run_command)

    ablate = commands.add_parser("ablate", help="score every retrieval stage switched on or off by itself")
    add_places(ablate, questions=SAMPLE)
    ablate.set_defaults(command=ablate_command)

    calibrate = commands.add_parser("calibrate", help="fit the confidence thresholds and write them to config.toml")
    add_places(calibrate, questions=CALIBRATION)
    calibrate.add_argument(
        "--also",
        type=Path,
        nargs=3,
        action="append",
        default=[],
        metavar=("QUESTIONS", "DOCUMENTS", "INDEX"),
        help="fit on the questions of another index too; may be repeated",
    )
    calibrate.add_argument("--dry-run", action="store_true", help="print the thresholds, change nothing")
    calibrate.set_defaults(command=calibrate_command)

    convert = commands.add_parser("import", help="turn another layout of golden questions into ours")
    convert.add_argument("layout", choices=IMPORTERS)
    convert.add_argument("source", type=Path, help="FinanceBench: its .jsonl; BEIR: the folder")
    convert.add_argument("out", type=Path, help="the golden file to write")
    convert.set_defaults(command=import_command)
    return parser


def add_places(command: argparse.ArgumentParser, *, questions: Path) -> None:
    command.add_argument(
        "--questions", type=Path, default=questions, metavar="FILE", help=f"golden questions ({questions.name})"
    )
    command.add_argument("--index", type=Path, metavar="DIR", help="the index to ask (default: config.toml's)")
    command.add_argument("--documents", type=Path, metavar="DIR", help="its documents folder (default: config.toml's)")
    command.add_argument("--config", type=Path, metavar="FILE", help="another config.toml")


def configured(options: argparse.Namespace) -> Config:
    return load_config(options.config, documents=options.documents, index=options.index)


def run_command(options: argparse.Namespace) -> int:
    from evaluation.report import html_report
    from evaluation.run import as_result, evaluate, figures_table, write_result
    from rag.chat import open_chat

    questions = load_golden(options.questions)
    outcomes = evaluate(questions, open_chat(configured(options)), ask=not options.search_only, progress=show_progress)
    result = as_result(outcomes)
    print(figures_table(result["figures"]))
    if options.out:
        write_result(result, options.out)
    if options.html:
        options.html.parent.mkdir(parents=True, exist_ok=True)
        options.html.write_text(html_report(result, title=f"Evaluation of {options.questions.name}"), encoding="utf-8")
        print(f"\nReport: {options.html}")
    if options.baseline:
        write_result({"figures": result["figures"]}, BASELINE)
        print(f"\nBaseline: {BASELINE}")
    return 0


def ablate_command(options: argparse.Namespace) -> int:
    from evaluation.ablate import ablate, ablation_table

    config = configured(options)
    results = ablate(load_golden(options.questions), config, open_embedder(config), progress=show_line)
    print(ablation_table(list(results)))
    return 0


def calibrate_command(options: argparse.Namespace) -> int:
    from evaluation.calibrate import calibrate, observe, write_thresholds
    from rag.chat import open_chat

    config = configured(options)
    observed = observe(load_golden(options.questions), open_chat(config), progress=show_progress)
    for questions, documents, index in options.also:
        other = load_config(options.config, documents=documents, index=index)
        observed = observed.joined(observe(load_golden(questions), open_chat(other), progress=show_progress))
    calibration = calibrate(observed)
    print(calibration.summary())
    if not options.dry_run:
        write_thresholds(calibration, config.source)
        print(f"Written to {config.source} [confidence].")
    return 0


def import_command(options: argparse.Namespace) -> int:
    records = list(IMPORTERS[options.layout](options.source))
    options.out.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    print(f"{len(records)} questions written to {options.out}")
    return 0


def show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} questions", end="\n" if done == total else "", file=sys.stderr, flush=True)


def show_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
