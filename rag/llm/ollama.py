"""Messages in, text from a model on Ollama out, through langchain-ollama."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from langchain_core.messages import BaseMessage
from langchain_ollama import ChatOllama

from rag import ollama_service
from rag.config import Config
from rag.errors import ModelError
from rag.llm import AnswerCut, LanguageModel
from rag.token_estimate import estimate_tokens

OPEN, CLOSE = "<think>", "</think>"


class OllamaModel(LanguageModel):
    def __init__(self, config: Config) -> None:
        self.config = config
        self.name = config.ollama.model
        self.context_tokens = config.ollama.context_tokens

    def describe(self) -> str:
        return f"{self.name} on Ollama ({ollama_service.host()})"

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def stream(self, messages: Sequence[BaseMessage], *, max_tokens: int) -> Iterator[str]:
        try:
            yield from without_thinking(self.attempt(messages, max_tokens=max_tokens))
        except ollama_service.FAILURES as error:
            raise ollama_service.explain(error, model=self.name) from error

    def attempt(self, messages: Sequence[BaseMessage], *, max_tokens: int) -> Iterator[str]:
        options = {"num_ctx": self.context_tokens, "num_predict": max_tokens, "temperature": self.config.llm.temperature}
        last: dict = {}
        spoken = False
        for chunk in self.chat.stream(list(messages), options=options):
            if chunk.response_metadata.get("done"):
                last = chunk.response_metadata
            if text := str(chunk.text):
                spoken = True
                yield text
        self.check_end(last, spoken=spoken, max_tokens=max_tokens, asked=sum(estimate_tokens(str(m.content)) for m in messages))

    def check_end(self, last: dict, *, spoken: bool, max_tokens: int, asked: int) -> None:
        """Three things that Ollama does silently: end without saying so, stop at the limit, and cut the prompt."""
        kind = AnswerCut if spoken else ModelError
        if not last:
            raise kind("Ollama ended the answer without finishing it.", "Look at Ollama's log, and ask again.")
        if is_cut_prompt(read=last.get("prompt_eval_count") or 0, asked=asked, context=self.context_tokens):
            cause = f"Ollama cut the prompt to {last['prompt_eval_count']} tokens, so the model did not see all passages."
            raise kind(cause, "Raise [ollama] context_tokens or lower [context] max_tokens in config.toml.")
        if last.get("done_reason") == "length":
            raise kind(f"The answer was cut at {max_tokens} tokens.", "Raise [llm] max_output_tokens.")

    @cached_property
    def chat(self) -> ChatOllama:
        return ChatOllama(
            model=self.name,
            base_url=ollama_service.host(),
            reasoning=False,  # a thinking model would spend the time and tokens of the answer on it
            client_kwargs=ollama_service.connection(self.config.llm.timeout_seconds),
        )


def is_cut_prompt(*, read: int, asked: int, context: int) -> bool:
    """Whether Ollama dropped the middle of a prompt: it then keeps num_ctx / 2 + 2 tokens (or one more) and says nothing.

    https://github.com/ollama/ollama/issues/17427. The count alone is no proof, since a prompt may be of that length; one
    that was cut is at least twice as long.
    """
    return read in (context // 2 + 2, context // 2 + 3) and asked > 1.5 * read


def without_thinking(pieces: Iterable[str]) -> Iterator[str]:
    """Text without the <think>…</think> that older models and templates write before their answer."""
    held, state = "", "start"
    for piece in pieces:
        if state == "answer":
            yield piece
            continue
        held += piece
        if state == "start":
            opening = held.lstrip()
            if len(opening) < len(OPEN) and OPEN.startswith(opening):
                continue
            state = "thinking" if opening.startswith(OPEN) else "answer"
        if state == "thinking":
            if CLOSE not in held:
                continue
            held = held.split(CLOSE, 1)[1].lstrip()
            state = "start" if not held else "answer"
        if held:
            yield held
        held = ""
    if state == "start" and held:
        yield held
