import pytest

from rag.domain import FileRecord, MetadataValue
from rag.other_language import asked_in, translate_with, wanted_language
from tests.rag.fakes import ScriptedModel


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Who approves a purchase of 75,000?", "english"),
        ("Wer genehmigt eine Bestellung von 75.000 Euro?", "german"),
        ("¿Quién aprueba una compra de 75.000 euros?", "spanish"),
        ("निविदा की अंतिम तिथि क्या है?", "hindi"),
        ("من يوافق على الشراء؟", "arabic"),
        ("购买由谁批准？", "chinese"),
        ("購入は誰が承認しますか？", "japanese"),
        ("Кто утверждает закупку?", "russian"),
        ("LRWA-GDL-030", ""),
        ("75,000", ""),
    ],
)
def test_the_language_of_a_question(question, language):
    assert asked_in(question) == language


def test_only_a_question_in_a_language_of_no_document_has_to_be_translated():
    def files(*languages):
        return [FileRecord(name, (name,), 1, "read", metadata={"language": MetadataValue(name, "text")}) for name in languages]

    assert wanted_language("Wer genehmigt eine Bestellung?", files("english", "italian", "english")) == "english"
    assert wanted_language("Who approves that?", files("italian")) == "italian"
    assert wanted_language("Who approves that?", files("italian", "english")) == ""
    assert wanted_language("LRWA-GDL-030", files("italian")) == ""
    assert wanted_language("Who approves that?", []) == ""


def test_a_translation_is_the_first_line_of_the_reply():
    model = ScriptedModel("\nHow much is the penalty?\nIt is 5 percent.")
    assert translate_with(model)("Wie hoch ist die Strafe?", "english").strip() == "How much is the penalty?"
    assert "Translate this question into English" in model.asked[0][0]
    assert "Wie hoch ist die Strafe?" in model.asked[0][0]
