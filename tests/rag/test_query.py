import pytest

from glossary.expand import Glossary, Term
from rag.config import QuerySettings
from rag.domain import Expansion, FileRecord, Filters, MetadataValue, Turn
from rag.errors import GlossaryError, ModelError
from rag.filters import known_values
from rag.query import Rewriter, open_glossary, understand

GLOSSARY = Glossary((Term("LOA", "Letter of Authority"),))
KNOWN = known_values([FileRecord("1", ("p.pdf",), 1, "read", metadata={"organisation": MetadataValue("Acme Works", "page 1")})])
SETTINGS = QuerySettings(expand_glossary=True, infer_filters=True, multi_query=False)
HISTORY = [Turn("Who signs the LOA?", "The head of procurement.")]


def test_a_first_question_is_only_expanded():
    query = understand("Who signs  the LOA?", glossary=GLOSSARY, known=KNOWN, settings=SETTINGS)
    assert query.question == query.standalone == "Who signs the LOA?"
    assert query.expanded == "Who signs the LOA (Letter of Authority)?"
    assert query.expansions == (Expansion("LOA", "LOA", "Letter of Authority"),)
    assert query.rewritten_by == ""


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Who **signs** <b>the</b> [LOA](http://a.b)?", "Who signs the LOA?"),
        ("And <i>how</i> `long` is it valid?", "And how long is it valid? (signs LOA)"),
        ("> 5,000 and < 9,000?", "> 5,000 and < 9,000?"),
        ("***", "*** (signs LOA)"),
    ],
)
def test_markup_is_not_part_of_a_question(typed, read):
    query = understand(typed, history=HISTORY, glossary=GLOSSARY, known=KNOWN, settings=SETTINGS)
    assert (query.question, query.standalone) == (typed, read)


def test_a_follow_up_takes_over_words_and_never_the_answer():
    query = understand("How long is it valid?", history=HISTORY, glossary=GLOSSARY, known=KNOWN, settings=SETTINGS)
    assert query.standalone == "How long is it valid? (signs LOA)"
    assert query.expanded == "How long is it valid? (signs LOA (Letter of Authority))"
    assert query.rewritten_by == "rule"


def test_a_model_rewrites_a_follow_up_and_is_not_asked_otherwise():
    asked = []

    def rewrite(question, history):
        asked.append((question, tuple(history)))
        return "How long is the LOA valid?"

    rewriter = Rewriter("some-model", rewrite)
    query = understand(
        "How long is it valid?", history=HISTORY, glossary=GLOSSARY, known=KNOWN, settings=SETTINGS, rewriter=rewriter
    )
    assert (query.standalone, query.rewritten_by) == ("How long is the LOA valid?", "some-model")
    understand(
        "Who owns the vendor list?", history=HISTORY, glossary=GLOSSARY, known=KNOWN, settings=SETTINGS, rewriter=rewriter
    )
    assert asked == [("How long is it valid?", tuple(HISTORY))]


@pytest.mark.parametrize("answer", ["", ModelError("The model timed out.")])
def test_the_rule_steps_in_where_the_model_gives_nothing(answer):
    def rewrite(question, history):
        if isinstance(answer, Exception):
            raise answer
        return answer

    query = understand(
        "And who else?", history=HISTORY, glossary=GLOSSARY, known=KNOWN, settings=SETTINGS, rewriter=Rewriter("m", rewrite)
    )
    assert (query.standalone, query.rewritten_by) == ("And who else? (signs LOA)", "rule")


ENGLISH = known_values([FileRecord("1", ("p.pdf",), 1, "read", metadata={"language": MetadataValue("english", "text")})])
GERMAN_QUESTION = "Wie hoch ist die LOA für verspätete Lieferungen?"


def in_german(**options):
    return understand(GERMAN_QUESTION, glossary=GLOSSARY, known=ENGLISH, settings=SETTINGS, **{"english_only": True, **options})


def test_a_question_in_a_language_of_no_document_is_translated_by_the_model():
    query = in_german(rewriter=Rewriter("m", lambda *_: "", lambda question, language: f"In {language}: late deliveries"))
    assert (query.standalone, query.expanded) == (GERMAN_QUESTION, "In english: late deliveries")
    assert query.notice == "The question is in German, the documents are in English: m translated it."


def test_without_a_model_it_is_told_what_the_glossary_translated():
    assert "only the glossary's terms were translated (LOA = Letter of Authority)" in in_german().notice
    assert "it could not be translated. Ask in English, or set [embedding] backend" in in_german(expand=False).notice


def test_an_embedder_of_many_languages_needs_no_translation():
    assert in_german(english_only=False).notice == ""
    assert understand("Who signs?", glossary=GLOSSARY, known=ENGLISH, settings=SETTINGS, english_only=True).notice == ""


def test_filters_are_inferred_unless_given():
    inferred = understand("What did Acme Works buy?", glossary=GLOSSARY, known=KNOWN, settings=SETTINGS)
    assert inferred.filters == Filters(organisation=("Acme Works",))
    removed = understand("What did Acme Works buy?", glossary=GLOSSARY, known=KNOWN, settings=SETTINGS, filters=Filters())
    assert (removed.filters, removed.expanded) == (Filters(), "What did Acme Works buy?")


def test_expansion_can_be_undone_for_one_term_and_for_all():
    for undone in ({"skip": ["LOA"]}, {"expand": False}):
        query = understand("Who signs the LOA?", glossary=GLOSSARY, known=KNOWN, settings=SETTINGS, **undone)
        assert (query.expanded, query.expansions) == ("Who signs the LOA?", ())


def test_a_faulty_glossary_names_its_line(tmp_path):
    path = tmp_path / "glossary.csv"
    path.write_text("abbreviation,definition,category,notes\nLOA,,,\n")
    with pytest.raises(GlossaryError, match="Line 2: the definition is empty"):
        open_glossary(path)
