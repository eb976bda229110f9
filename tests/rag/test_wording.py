import pytest

from rag.wording import measures, parts_of, spelled_out, without_instructions


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
