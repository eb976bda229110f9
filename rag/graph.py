"""The flow of one question as a graph: understand, retrieve, answer or say that nothing was found, check.

Each node is a few lines that call a pure module. Events leave through the graph's custom stream as they happen. The only
thing that outlives a question is `messages`, the working memory of its conversation, kept by LangGraph's MemorySaver;
everything else about a question is in channels that are never stored.
"""

import dataclasses
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from threading import Event as Flag
from typing import Annotated, Any, Protocol, TypedDict

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from rag.answering import Draft, rewrite_with, write_answer
from rag.citations import cite
from rag.confidence import tier
from rag.config import Config
from rag.context import select_passages
from rag.domain import Answer, FileRecord, Filters, Finished, Found, Retrieval, Tier, Token, TraceStep, Turn
from rag.embedding import Embedder
from rag.llm import ModelChoice
from rag.not_found import not_found_text, says_not_found
from rag.other_language import translate_with
from rag.prompt import system_text
from rag.query import Rewriter
from rag.revisions import replaced_notices
from rag.sanitize import clean
from rag.token_estimate import estimate_tokens
from rag.verify import check_figures

MOST_MESSAGES = 13  # of working memory: the system message and six pairs, of which [chat] memory_pairs are used
CAVEAT = "The passages found may not answer this question: check the pages before you rely on it."


class Retriever(Protocol):
    """What the graph needs of HybridRetriever."""

    def search(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        filters: Filters | None = None,
        k: int = 5,
        chunks: bool = False,
        expand: bool = True,
        skip: Collection[str] = (),
        rewriter: Rewriter | None = None,
    ) -> Retrieval: ...


@dataclass(frozen=True)
class Asking:
    """All that a question needs beside the conversation; LangGraph hands it to every node."""

    config: Config
    retriever: Retriever
    choice: ModelChoice
    embedder: Embedder | None
    files: Callable[[], Sequence[FileRecord]]
    filters: Filters | None
    expand: bool
    skip: Collection[str]
    cancelled: Flag


class State(TypedDict, total=False):
    messages: list[BaseMessage]
    question: Annotated[str, UntrackedValue]
    turns: Annotated[tuple[Turn, ...], UntrackedValue]
    retrieval: Annotated[Retrieval, UntrackedValue]
    tier: Annotated[Tier, UntrackedValue]
    draft: Annotated[Draft, UntrackedValue]
    answer_ms: Annotated[float, UntrackedValue]


class WorkingMemory(MemorySaver):
    """Keeps the messages alone: what a question that was stopped had worked out until then is of no use to the next one."""

    def put_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        super().put_writes(config, [(channel, value) for channel, value in writes if channel == "messages"], task_id, task_path)


def build_graph(memory: MemorySaver):
    graph = StateGraph(State, context_schema=Asking)
    graph.add_node("understand", understand)
    graph.add_node("retrieve", retrieve)
    graph.add_node("answer", answer)
    graph.add_node("say_not_found", say_not_found)
    graph.add_node("check", check)
    graph.add_edge(START, "understand")
    graph.add_edge("understand", "retrieve")
    graph.add_conditional_edges("retrieve", was_found, ["answer", "say_not_found"])
    graph.add_edge("answer", "check")
    graph.add_edge("say_not_found", "check")
    graph.add_edge("check", END)
    return graph.compile(checkpointer=memory)


def understand(state: State, runtime: Runtime[Asking]) -> State:
    return {"turns": recall(state.get("messages", []))[-runtime.context.config.chat.memory_pairs :]}


def retrieve(state: State, runtime: Runtime[Asking]) -> State:
    asking = runtime.context
    model = asking.choice.model
    retrieval = asking.retriever.search(
        state["question"],
        history=state["turns"],
        filters=asking.filters,
        k=asking.config.context.passages,
        expand=asking.expand,
        skip=asking.skip,
        rewriter=Rewriter(model.name, rewrite_with(model), translate_with(model)) if model else None,
    )
    found, _ = tier(retrieval, asking.config.confidence)
    passages = select_passages(retrieval, asking.config.context, estimate_tokens)
    retrieval = dataclasses.replace(retrieval, passages=passages)
    runtime.stream_writer(Found(retrieval, found))
    return {"retrieval": retrieval, "tier": found}


def was_found(state: State) -> str:
    return "say_not_found" if state["tier"] == "none" or not state["retrieval"].passages else "answer"


def answer(state: State, runtime: Runtime[Asking]) -> State:
    asking, retrieval, started = runtime.context, state["retrieval"], time.perf_counter()
    draft = write_answer(
        retrieval.query,
        retrieval.passages,
        state["turns"],
        rules=retrieval.rules,
        sure=state["tier"] == "high",
        config=asking.config,
        choice=asking.choice,
        embedder=asking.embedder,
        emit=lambda text: runtime.stream_writer(Token(text)),
        cancelled=asking.cancelled,
    )
    if says_not_found(draft.text) or not draft.text.strip():
        text = not_found_text(state["question"], retrieval, asking.files())
        runtime.stream_writer(Token(text.removeprefix(draft.text.strip())))
        draft = dataclasses.replace(draft, text=text, passages=retrieval.passages)
        return {"draft": draft, "tier": "none", "answer_ms": milliseconds(started)}
    found: Tier = "low" if draft.lacks else state["tier"]
    if found == "low":
        missing = (f"What is quoted does not say: {'; '.join(draft.lacks)}.",) if draft.lacks else ()
        draft = dataclasses.replace(draft, notices=(CAVEAT, *missing, *draft.notices))
    return {"draft": draft, "tier": found, "answer_ms": milliseconds(started)}


def say_not_found(state: State, runtime: Runtime[Asking]) -> State:
    retrieval = state["retrieval"]
    text = not_found_text(state["question"], retrieval, runtime.context.files())
    runtime.stream_writer(Token(text))
    return {"draft": Draft(text, retrieval.passages, runtime.context.choice.name), "tier": "none", "answer_ms": 0.0}


def check(state: State, runtime: Runtime[Asking]) -> State:
    draft, retrieval, started = state["draft"], state["retrieval"], time.perf_counter()
    nothing = state["tier"] == "none"
    cited = cite(clean(draft.text).strip(), draft.passages, support=draft.support, states=not nothing)
    checks = () if nothing else check_figures(cited.text, cited.passages)
    # Those of replaced documents that are not cited either.
    beside = set(replaced_notices(retrieval.passages)) - set(replaced_notices(cited.passages))
    steps = (
        TraceStep("answer", answer_note(draft, state["tier"]), state["answer_ms"]),
        TraceStep("check", check_note(cited.invented, sum(c.proven for c in checks), len(checks)), milliseconds(started)),
    )
    finished = Answer(
        text=cited.text,
        tier=state["tier"],
        citations=cited.citations,
        checks=checks,
        model=draft.model,
        retrieval=retrieval,
        trace=steps,
        notices=(*(notice for notice in retrieval.notices if notice not in beside), *draft.notices),
        complete=draft.complete,
        invented_markers=cited.invented,
    )
    runtime.stream_writer(Finished(finished))
    return {"messages": remember(state.get("messages", []), Turn(state["question"], cited.text))}


def recall(messages: Sequence[BaseMessage]) -> tuple[Turn, ...]:
    """The question and answer pairs of a working memory."""
    turns: list[Turn] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            turns.append(Turn(str(message.content)))
        elif isinstance(message, AIMessage) and turns:
            turns[-1] = Turn(turns[-1].question, str(message.content))
    return tuple(turns)


def remember(messages: Sequence[BaseMessage], *new: Turn) -> list[BaseMessage]:
    """One system message and the last pairs, the new ones at the end; a question asked again replaces its earlier answer."""
    latest = {turn.question: turn for turn in (*recall(messages), *new)}
    asked_again = {turn.question for turn in new}
    order = [question for question in latest if question not in asked_again] + list(
        dict.fromkeys(turn.question for turn in new)
    )
    said = [message for question in order for message in messages_of(latest[question])]
    return [SystemMessage(system_text()), *said[-(MOST_MESSAGES - 1) :]]


def messages_of(turn: Turn) -> list[BaseMessage]:
    """A question without an answer, stopped or asked elsewhere, is kept too: the next one may lean on it."""
    return [HumanMessage(turn.question), *([AIMessage(turn.answer)] if turn.answer else [])]


def answer_note(draft: Draft, found: Tier) -> str:
    if found == "none":
        return "Nothing in the documents answers this with enough confidence."
    if not draft.first_word_ms:
        return f"Quoted from the passages ({draft.model})."
    return f"Written by {draft.model}; first word after {draft.first_word_ms:.0f} ms."


def check_note(invented: int, proven: int, figures: int) -> str:
    parts = (
        [f"{proven} of {figures} figures and quotations stand in the cited passages."] if figures else ["No figures to check."]
    )
    if invented:
        parts.append(f"{invented} markers named no passage and were dropped.")
    return " ".join(parts)


def milliseconds(started: float) -> float:
    return (time.perf_counter() - started) * 1000
