"""python -m benchmarks ingest | query: speed and memory beside the stock LangChain pipeline, in one run."""

import argparse
import sys
from pathlib import Path

from rag.config import load_config


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    ingest = commands.add_parser("ingest", help="pages a second, peak memory and the cost of one more file")
    ingest.add_argument("--documents", type=Path, metavar="DIR", help="a folder of PDFs (default: config.toml's)")
    ingest.add_argument("--runs", type=int, default=3, help="alternating runs of each side (3)")
    query = commands.add_parser("query", help="retrieval latency, memory and opening time")
    query.add_argument(
        "--sizes",
        default="1000,10000,100000,1000000",
        help="numbers of chunks, separated by commas (%(default)s; the last takes half an hour)",
    )
    options = parser.parse_args(arguments)

    if options.command == "ingest":
        from benchmarks.ingest import compare_ingest

        print(compare_ingest(options.documents or load_config().documents.directory, runs=options.runs).table())
    else:
        from benchmarks.query import query_table

        for line in query_table([int(size) for size in options.sizes.split(",")]):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
