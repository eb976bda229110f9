"""Search and ask from the command line: one question or a file of them in, text for people or JSON lines for programs out."""

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rag.chat import Chat, open_chat
from rag.citations import page_reference
from rag.config import Config, load_config
from rag.domain import Answer, Filters, Finished, Passage, Retrieval, Token, Turn
from rag.errors import ConfigError, IndexMissing, ProductError
from rag.output import printing

EXIT_CODES = """exit codes:
  0    every question was answered (also where nothing was found)
  1    it could not be done: no index or nothing in it, another embedding model, a service that fails; the reason is on
       standard error
  2    the command, a setting, a line of the questions file or a place to write to is wrong
  130  interrupted
"""
BATCH_FORMAT = """questions file: one JSON object a line, {"question": "...", "history": ["an earlier question", ...]}
  (history is optional, other fields are ignored); each makes one line of the output, in the same order.
output: {"question", "query", "filters", "hits": [{"file", "page", "pages", "text", "score", "found_by"}], "ms"}
  and for ask also {"answer", "tier", "citations": [{"marker", "file", "page", "quote"}], "model"}; at the end of both
  "notices", a list of sentences that a reader should know. tier is "high" (answered), "low" (answered with a caveat) or
  "none" (not found).
"""
LINE_FORM = 'write one {"question": "..."} a line.'


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    history: tuple[Turn, ...] = ()


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return printing(lambda: run(options))
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ProductError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("question", nargs="?", help="the question, in quotation marks")
    shared.add_argument("--history", action="append", default=[], metavar="QUESTION", help="an earlier question, oldest first")
    shared.add_argument("--filter", action="append", default=[], metavar="NAME=VALUE", help="search only there: year=2025")
    shared.add_argument(
        "--k", type=positive, metavar="N", help="how many pages (default: 5 to search; what is configured to ask)"
    )
    shared.add_argument("--json", action="store_true", help="one JSON object on one line, as in the output of a questions file")
    shared.add_argument("--questions", type=Path, metavar="IN.jsonl", help="answer a whole file, with --out")
    shared.add_argument("--out", type=Path, metavar="OUT.jsonl")
    shared.add_argument("--index", type=Path, metavar="DIR", help="the index folder, instead of the configured one")
    shared.add_argument("--documents", type=Path, metavar="DIR", help="the documents folder, instead of the configured one")
    shared.add_argument(
        "--config", type=Path, metavar="FILE", help="instead of the project's config.toml; paths in it are relative to it"
    )
    top = argparse.ArgumentParser(prog="python -m rag", description="Search the indexed documents, or ask them.")
    commands = top.add_subparsers(dest="command", required=True)
    search = commands.add_parser("search", parents=[shared], help="list the pages that answer best, without a model")
    search.add_argument("--chunks", action="store_true", help="list every passage, not one a page")
    ask = commands.add_parser("ask", parents=[shared], help="answer with citations")
    for command in (search, ask):
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        command.epilog = f"{BATCH_FORMAT}\n{EXIT_CODES}"
    return top


def run(options: argparse.Namespace) -> int:
    asked = (options.question or "").strip()
    if bool(asked) == bool(options.questions):
        raise ConfigError("Give one question in quotation marks, or a file with --questions.")
    if bool(options.questions) != bool(options.out):
        raise ConfigError("--questions and --out go together.")
    config = load_config(options.config, documents=options.documents, index=options.index)
    if options.k and options.command == "ask":
        config = config.with_values(context={"passages": options.k})
    filters = parse_filters(options.filter)
    if options.questions:
        questions = read_questions(options.questions, longest=config.chat.max_question_characters)
        chat = opened(config)
        with open_output(options.out, questions=options.questions) as out:
            return run_batch(chat, questions, options, filters, out)
    if len(asked) > config.chat.max_question_characters:
        longest = config.chat.max_question_characters
        raise ConfigError(f"The question has {len(asked):,} characters, more than {longest:,}: shorten it.")
    question = question_of(asked, options.history)
    chat = opened(config)
    if options.json:
        print(json.dumps(record(chat, question, options, filters), ensure_ascii=False))
    elif options.command == "search":
        print_search(search(chat, question, options, filters), sys.stdout)
    else:
        print_answer(chat, question, filters, sys.stdout)
    return 0


def opened(config: Config) -> Chat:
    """A chat over an index in which there is something to find."""
    chat, documents = open_chat(config), config.documents
    if not chat.snapshot_info().chunks:
        raise IndexMissing(
            f"There are no documents in {documents.index} to answer from. Put some into {documents.directory} and run "
            "`python -m ingestion sync`; `python -m ingestion status` says what could not be read."
        )
    return chat


def open_output(path: Path, *, questions: Path) -> TextIO:
    if path.exists() and path.samefile(questions):
        raise ConfigError(f"--out {path} is the questions file itself, which would be lost: name another one.")
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"--out {path} can't be written to ({error.strerror}): name a file in a folder that is there."
        ) from None


def run_batch(
    chat: Chat, questions: Sequence[Question], options: argparse.Namespace, filters: Filters | None, out: TextIO
) -> int:
    """Writes each line as soon as it is there, so that an interrupted run keeps what it has done."""
    live = sys.stderr.isatty()  # there the count is written over; elsewhere each has its line
    try:
        for number, question in enumerate(questions, 1):
            out.write(json.dumps(record(chat, question, options, filters), ensure_ascii=False) + "\n")
            out.flush()
            print(
                f"\r{number}/{len(questions)}" if live else f"{number}/{len(questions)}",
                end="" if live else "\n",
                file=sys.stderr,
                flush=True,
            )
    finally:
        if live:
            print(file=sys.stderr)  # an error is told on a line of its own
    return 0


def record(chat: Chat, question: Question, options: argparse.Namespace, filters: Filters | None) -> dict[str, object]:
    """The stable form that programs read."""
    if options.command == "search":
        found = search(chat, question, options, filters)
        return {**search_record(question, found), "notices": list(found.notices)}
    *_, last = chat.ask(question.text, history=question.history, filters=filters)
    assert isinstance(last, Finished)
    return answer_record(question, last.answer)


def search(chat: Chat, question: Question, options: argparse.Namespace, filters: Filters | None) -> Retrieval:
    return chat.search(question.text, history=question.history, filters=filters, k=options.k or 5, chunks=options.chunks)


def search_record(question: Question, retrieval: Retrieval) -> dict[str, object]:
    return {
        "question": question.text,
        "query": retrieval.query.expanded,
        "filters": retrieval.query.filters.as_dict(),
        "hits": [hit(passage) for passage in retrieval.passages],
        "ms": retrieval.milliseconds(),
    }


def hit(passage: Passage) -> dict[str, object]:
    """`text` is what a model would read: the found piece with what stands around it on its page."""
    chunk = passage.chunk
    return {
        "file": chunk.file,
        "page": chunk.page,
        "pages": [chunk.page],
        "text": passage.text,
        "score": round(float(passage.score), 6),
        "found_by": list(passage.found_by),
    }


def answer_record(question: Question, answer: Answer) -> dict[str, object]:
    found = search_record(question, answer.retrieval)
    took = {step.stage: round(step.milliseconds, 3) for step in answer.trace}
    return {
        **found,
        "ms": {**answer.retrieval.milliseconds(), **took},
        "answer": answer.text,
        "tier": answer.tier,
        "citations": [{"marker": c.marker, "file": c.file, "page": c.page, "quote": c.quote} for c in answer.citations],
        "model": answer.model,
        "notices": list(answer.notices),
    }


def print_search(retrieval: Retrieval, out: TextIO) -> None:
    for notice in retrieval.notices:
        print(f"Note: {notice}", file=out)
    if not retrieval.passages:
        print("Nothing was found.", file=out)
    for number, passage in enumerate(retrieval.passages, 1):
        chunk = passage.chunk
        section = f"  {' › '.join(chunk.section)}" if chunk.section else ""
        print(f"{number}. {chunk.document}, page {page_reference(chunk.page, chunk.page_label)}{section}", file=out)
        print(f"   {chunk.file}; found by {' and '.join(passage.found_by)}; score {passage.score:.3f}", file=out)
        print(textwrap.indent(textwrap.shorten(chunk.text, 400, placeholder=" …"), "   "), file=out)


def print_answer(chat: Chat, question: Question, filters: Filters | None, out: TextIO) -> None:
    """A terminal shows the words as they come, a file gets the checked answer alone."""
    live = out.isatty()
    answer: Answer | None = None
    for event in chat.ask(question.text, history=question.history, filters=filters):
        if isinstance(event, Token) and live:
            print(event.text, end="", file=out, flush=True)
        elif isinstance(event, Finished):
            answer = event.answer
    assert answer is not None
    print("" if live else answer.text, file=out)
    print("", *source_lines(answer), sep="\n", file=out)


def source_lines(answer: Answer) -> Iterator[str]:
    for citation in answer.citations:
        page = page_reference(citation.page, citation.page_label)
        yield f"[{citation.marker}] {citation.document}, page {page}, {citation.file}"
        yield textwrap.indent(textwrap.shorten(citation.quote, 200, placeholder=" …"), "    ")
    unproven = [check.text for check in answer.checks if not check.proven]
    if unproven:
        yield f"Not found in the cited passages: {', '.join(unproven)}"
    for notice in answer.notices:
        yield f"Note: {notice}"
    yield f"Answered by {answer.model}."


def read_questions(path: Path, *, longest: int) -> list[Question]:
    """All of them, checked before the first is asked; `longest` is in characters."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # splitlines() also cuts at what may stand inside JSON
    except OSError as error:
        raise ConfigError(f"--questions {path} can't be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise ConfigError(f"--questions {path} is not UTF-8 text: save it as UTF-8.") from None
    questions = [read_question(line, f"{path} line {number}", longest) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise ConfigError(f"--questions {path} holds no question: {LINE_FORM}")
    return questions


def read_question(line: str, place: str, longest: int) -> Question:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{place} is not JSON ({getattr(error, 'msg', 'too deep, or too long a number')}): {LINE_FORM}"
        ) from None
    if not isinstance(data, dict):
        raise ConfigError(f"{place} is JSON, but not an object in braces: {LINE_FORM}")
    if "question" not in data:
        there = f"but {', '.join(json.dumps(name, ensure_ascii=False) for name in data)}" if data else "and nothing else"
        raise ConfigError(f'{place} has no "question", {there}: {LINE_FORM}')
    if not isinstance(data["question"], str) or not data["question"].strip():
        raise ConfigError(f'{place} has a "question" without a text: {LINE_FORM}')
    if len(data["question"]) > longest:
        raise ConfigError(f"{place} has a question of {len(data['question']):,} characters, more than {longest:,}: shorten it.")
    history = data.get("history") or []
    if not isinstance(history, list) or not all(isinstance(text, str) for text in history):
        raise ConfigError(f'{place} has a "history" that is not a list of questions.')
    return question_of(data["question"], history)


def question_of(text: str, history: Sequence[str]) -> Question:
    return Question(encodable(text), tuple(Turn(encodable(earlier)) for earlier in history))


def encodable(text: str) -> str:
    """Half characters, which JSON's escapes and bytes of another encoding can make, as replacement characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def parse_filters(given: Iterable[str]) -> Filters | None:
    """`year=2025` and the like; None where none is given, so that they are inferred from the question."""
    values: dict[str, tuple[str, ...]] = {}
    known = ("organisation", "year", "quarter", "document_type", "file")
    for text in given:
        name, _, value = text.partition("=")
        if name not in known or not value:
            raise ConfigError(f"--filter {text} is wrong: write NAME=VALUE, where NAME is one of {', '.join(known)}.")
        values[name] = (*values.get(name, ()), value)
    return Filters(**values) if values else None


def positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no positive number")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
