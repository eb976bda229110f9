import pytest

from rag.wording import LONGEST_SYNONYM, in_document_words, measures, parts_of, spelled_out, synonyms, without_instructions


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Assume that you are an auditor. What is the total budget? Answer in thousands.", "What is the total budget?"),
        ("You are a buyer: who signs purchase orders?", "who signs purchase orders?"),
        ("What is the bid limit? Please be brief.", "What is the bid limit?"),
        ("Did the quick ratio improve? If it is not a useful measure here, state that.", "Did the quick ratio improve?"),
    ],
)
def test_sentences_on_how_to_answer_are_left_out(question, left):
    assert without_instructions(question) == left


@pytest.mark.parametrize(
    "question",
    [
        "What must suppliers answer in the questionnaire?",
        "If the bid is late, is it rejected?",
        "Answer the questionnaire",  # nothing else would be left
        "Round tables",
    ],
)
def test_questions_stay_as_they_are(question):
    assert without_instructions(question) == question


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("Spend in FY2022", "Spend in FY2022 (2022)"),
        ("Spend in 2022", "Spend in 2022"),
        ("What is the DSO?", f"What is the DSO? ({measures()['dso']})"),
        ("Who signs?", "Who signs?"),
    ],
)
def test_years_and_measures_are_written_as_documents_print_them(text, wording):
    assert spelled_out(text) == wording


@pytest.mark.parametrize(
    ("question", "reworded"),
    [
        ("When does my boss sign?", "When does my boss supervisor approver sign?"),  # "manager" is in none of the documents
        ("How is a vendor kicked out?", "How is a vendor kicked out debarred?"),
        ("Which offers are late?", "Which offers bid are late overdue?"),  # told by its stem
        ("Which colleagues of Boss Inc. help?", ""),  # "colleague" is the documents' own word, "Boss" a name
        ("What does clause 4.2 say to a boss?", ""),
        ("Wer ist der boss von uns?", ""),
        ("Who signs?", ""),
    ],
)
def test_everyday_words_get_those_of_the_documents_beside_them(question, reworded):
    held = {"supervisor": 3, "approv": 9, "debar": 2, "bid": 5, "overdu": 1, "colleagu": 50, "employe": 2, "offer": 4}
    assert in_document_words(question, lambda term: held.get(term, 0)) == reworded


def test_every_line_of_the_synonyms_gives_other_words():
    assert all(said and all(" ".join(everyday) != name for name in said) for everyday, said in synonyms().items())
    assert 1 < max(map(len, synonyms())) <= LONGEST_SYNONYM


def test_a_question_of_two_questions_has_two_parts():
    assert parts_of("What limit does the handbook set for RFPs, and how many quotes does the policy demand?") == [
        "What limit does the handbook set for RFPs",
        "how many quotes does the policy demand?",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Which bids are late and when?",  # the second half leans on the first
        "What is the limit for goods and services?",
        "Which section deals with record retention, and what period does it set?",
        "Who signs contracts?",
    ],
)
def test_one_question_has_no_parts(question):
    assert parts_of(question) == []
