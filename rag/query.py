"""A question as typed, the conversation, the glossary and what the index knows in; the query to search with out."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossary.expand import Glossary
from glossary.terms import GlossaryFault, load
from rag.config import QuerySettings
from rag.domain import Expansion, Filters, Query, Turn
from rag.errors import GlossaryError, ModelError
from rag.filters import KnownValues, infer
from rag.followup import leans_on_earlier
from rag.other_language import translated_notice, untranslated_notice, wanted_language
from rag.rule_question import without_markup
from rag.standalone import stand_alone
from rag.wording import spelled_out, without_instructions


@dataclass(frozen=True, slots=True)
class Rewriter:
    """A language model that makes a follow-up stand alone, `rewrite(question, history)`, and puts a question into another
    language, `translate(question, language)`; both may raise ModelError."""

    model: str
    rewrite: Callable[[str, Sequence[Turn]], str]
    translate: Callable[[str, str], str] | None = None


def open_glossary(path: Path) -> Glossary:
    """The glossary of a CSV file. Raises GlossaryError, whose text names the lines to mend."""
    try:
        return load(path)
    except GlossaryFault as fault:
        raise GlossaryError(str(fault)) from fault


def understand(
    question: str,
    *,
    history: Sequence[Turn] = (),
    glossary: Glossary,
    filters: Filters | None = None,
    known: KnownValues,
    settings: QuerySettings,
    rewriter: Rewriter | None = None,
    expand: bool = True,
    skip: Collection[str] = (),
    english_only: bool = False,
    stated: Callable[[str], str] = lambda question: "",
) -> Query:
    """The query for a question: standing alone, its filters inferred unless given, its abbreviations spelled out.

    `filters=None` infers them; a Filters (also an empty one) is taken as it is. `skip` names abbreviations to leave alone.
    `stated` gives what the approval rules say to an earlier question, for "and above that?".
    With an embedder that is `english_only` a question in a language of no document is translated, or it is told that it is not.
    """
    question = " ".join(question.split())
    standalone, rewritten_by = resolve(without_markup(question), history, rewriter, stated)
    searched = without_instructions(standalone)
    other = wanted_language(searched, known.files) if english_only else ""
    translation = translated(searched, other, rewriter) if other else ""
    searched = translation or searched
    if filters is None:
        filters, searched = infer(searched, known) if settings.infer_filters else (Filters(), searched)
    expansions: tuple[Expansion, ...] = ()
    if expand and settings.expand_glossary:
        searched, found = glossary.expand(searched, skip)
        expansions = tuple(Expansion(*each) for each in found)
        searched = spelled_out(searched)
    notice = ""
    if rewriter and translation:
        notice = translated_notice(standalone, other, by=rewriter.model)
    elif other:
        notice = untranslated_notice(standalone, other, expansions)
    return Query(question, standalone, searched, expansions, filters, rewritten_by, notice)


def translated(question: str, language: str, rewriter: Rewriter | None) -> str:
    """The question in another language by the model; "" where there is none or it fails."""
    if rewriter is None or rewriter.translate is None:
        return ""
    try:
        return " ".join(rewriter.translate(question, language).split())
    except ModelError:
        return ""


def resolve(question: str, history: Sequence[Turn], rewriter: Rewriter | None, stated: Callable[[str], str]) -> tuple[str, str]:
    """The question standing alone and who made it so: nobody where it does already, a model, or the rule."""
    if not history or not leans_on_earlier(question):
        return question, ""
    if rewriter:
        try:
            rewritten = " ".join(rewriter.rewrite(question, history).split())
        except ModelError:
            rewritten = ""  # the model is down: the rule below is always there
        if rewritten:
            return rewritten, rewriter.model
    plain = [Turn(without_markup(turn.question), turn.answer) for turn in history]
    return stand_alone(question, plain, known=stated), "rule"
