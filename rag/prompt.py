"""Query, passages and earlier turns in; the messages for the language model out, from the prose files in rag/prompts/."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from rag.citations import page_reference, without_markers
from rag.domain import Passage, Query, Turn

PROMPTS = Path(__file__).parent / "prompts"
SLOT = re.compile(r"\{(\w+)\}")
DELIMITERS = "passages|passage|glossary|rules|question|conversation"
MESSAGE_TOKENS = 8  # roles and separators around each message


@dataclass(frozen=True, slots=True)
class Prompt:
    """`passages` are those that found room: the first ones, so that [1] means the same as before."""

    messages: tuple[BaseMessage, ...]
    passages: tuple[Passage, ...]
    tokens: int


def answer_prompt(
    query: Query,
    passages: Sequence[Passage],
    history: Sequence[Turn],
    *,
    rules: Sequence[str] = (),
    room: int,
    count_tokens: Callable[[str], int],
) -> Prompt:
    """The messages that fit into `room` tokens: the oldest turns are left out first, then the least relevant passages.

    The passages stand before the question: the same model answered far more questions right that way round
    (FinanceBench, https://arxiv.org/abs/2311.11944).
    """
    turns, kept = list(history), list(passages)
    while True:
        messages = answer_messages(query, kept, turns, rules)
        tokens = sum(count_tokens(str(message.content)) + MESSAGE_TOKENS for message in messages)
        if tokens <= room or (not turns and len(kept) <= 1):
            return Prompt(tuple(messages), tuple(kept), tokens)
        if turns:
            del turns[0]
        else:
            del kept[-1]


def answer_messages(
    query: Query, passages: Sequence[Passage], history: Sequence[Turn], rules: Sequence[str] = ()
) -> list[BaseMessage]:
    definitions = "\n".join(f"{e.term}: {e.definition}" for e in query.expansions)
    background = [render("glossary", definitions=escaped(definitions))] if definitions else []
    if rules:
        background.append(render("rules", rules=escaped("\n".join(rules))))
    question = query.standalone if query.rewritten_by not in ("", "rule") else query.question
    asked = render(
        "question",
        passages="\n\n".join(passage_text(number, passage) for number, passage in enumerate(passages, 1)),
        background="\n\n".join(background),
        question=escaped(question),
    )
    # The numbers of an earlier answer meant other passages: left in, they would be copied.
    turns = [Turn(turn.question, without_markers(turn.answer)) for turn in history]
    return [SystemMessage(system_text()), *turn_messages(turns), HumanMessage(asked)]


def rewrite_messages(question: str, history: Sequence[Turn]) -> list[BaseMessage]:
    conversation = "\n".join(f"Question: {turn.question}\nAnswer: {turn.answer[:600]}" for turn in history)
    return [HumanMessage(render("rewrite", conversation=escaped(conversation), question=escaped(question)))]


def translate_messages(question: str, language: str) -> list[BaseMessage]:
    return [HumanMessage(render("translate", question=escaped(question), language=language.title()))]


def turn_messages(history: Sequence[Turn]) -> list[BaseMessage]:
    """Finished pairs only: models insist that questions and answers alternate."""
    return [m for turn in history if turn.answer for m in (HumanMessage(turn.question), AIMessage(turn.answer))]


def passage_text(number: int, passage: Passage) -> str:
    chunk = passage.chunk
    return render(
        "passage",
        number=str(number),
        document=attribute(chunk.document),
        page=attribute(page_reference(chunk.page, chunk.page_label)),
        section=attribute(" › ".join(chunk.section)),
        text=escaped(passage.text),
    )


def system_text() -> str:
    return template("system")


def render(name: str, **slots: str) -> str:
    """The prose file with its slots filled; a slot that is missing or unknown is a mistake in the program."""
    text = template(name)
    wanted = set(SLOT.findall(text))
    if wanted != set(slots):
        raise ValueError(f"rag/prompts/{name}.md has the slots {sorted(wanted)}, not {sorted(slots)}")
    return SLOT.sub(lambda match: slots[match[1]], text)


@cache
def template(name: str) -> str:
    return (PROMPTS / f"{name}.md").read_text(encoding="utf-8").strip("\n")


def escaped(text: str) -> str:
    """Text that can't close or open the prompt's own tags; all else stays as the document has it, so that it can be quoted."""
    return re.sub(rf"<(?=\s*/?\s*(?:{DELIMITERS})\b)", "‹", text, flags=re.IGNORECASE)


def attribute(text: str) -> str:
    return escaped(" ".join(text.split())).replace('"', "'")
