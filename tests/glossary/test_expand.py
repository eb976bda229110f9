import pytest

from glossary.expand import Glossary, Term

GLOSSARY = Glossary(
    (
        Term("LOA", "Letter of Authority"),
        Term("PO", "Purchase Order"),
        Term("IT", "Information Technology"),
        Term("FAC", "Final Acceptance Certificate"),
        Term("FAC-C", "Federal Acquisition Certification"),
        Term("A/OPC", "Agency/Organization Program Coordinator"),
    )
)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("Who signs the LOA?", "Who signs the LOA (Letter of Authority)?"),
        ("who signs the loa?", "who signs the loa (Letter of Authority)?"),
        ("How many POs are open?", "How many POs (Purchase Order) are open?"),
        ("the PO's value", "the PO's (Purchase Order) value"),
        ("A PO, then another PO", "A PO (Purchase Order), then another PO"),
        ("What is FAC-C?", "What is FAC-C (Federal Acquisition Certification)?"),
        ("Ask the A/OPC.", "Ask the A/OPC (Agency/Organization Program Coordinator)."),
        ("PR/PO process", "PR/PO (Purchase Order) process"),
        ("Who gives a letter of authority?", "Who gives a letter of authority (LOA)?"),
        ("Letters, purchase  orders", "Letters, purchase  orders (PO)"),
        ("a Letter of Authority (LOA)", "a Letter of Authority (LOA)"),
        ("the IT budget, and is it spent?", "the IT (Information Technology) budget, and is it spent?"),
    ],
)
def test_spells_out_each_term_once(text, expanded):
    assert GLOSSARY.expand(text)[0] == expanded


@pytest.mark.parametrize(
    "text",
    [
        "Is it allowed?",
        "It is allowed?",
        "IS IT ALLOWED?",  # all in capitals: nothing tells IT from it
        "POLO shirts",
        "depot",
        "PO-2024-001",  # a reference, not a mention
        "LOA.2",
        "",
    ],
)
def test_leaves_other_words_alone(text):
    assert GLOSSARY.expand(text) == (text, ())


def test_says_what_was_found_as_typed_and_as_in_the_glossary():
    assert GLOSSARY.expand("loa for a Purchase Order")[1] == (
        ("loa", "LOA", "Letter of Authority"),
        ("Purchase Order", "PO", "Purchase Order"),
    )


def test_skip_undoes_one_expansion_and_keeps_the_others():
    assert GLOSSARY.expand("LOA and PO", skip=["loa"])[0] == "LOA and PO (Purchase Order)"


def test_an_empty_glossary_changes_nothing():
    assert Glossary().expand("LOA and PO") == ("LOA and PO", ())
