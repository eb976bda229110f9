import pytest

from rag.domain import Turn
from rag.standalone import stand_alone

APPROVER = "Director of Procurement: above USD 50,000 up to USD 250,000 [1]"
PAPERS = "A vendor hands in:\n- Tax certificate: not older than a year [1]\n- Bank letter: signed by the bank [1]"
WHO = "Who approves a purchase of 75,000?"
SPENT = "What was spent on fuel in Q2 FY2025?"
PERIOD = "What is the minimum bidding period for an ITB?"
FEE = "What is the fee for registration?"
CARD = "What are the limits of the standard purchasing card?"


@pytest.mark.parametrize(
    ("before", "follow_up", "wanted"),
    [
        # amounts
        (WHO, "and above that?", "Who approves a purchase above 75,000?"),
        (WHO, "And above 250,000?", "Who approves a purchase above 250,000?"),
        (WHO, "And 250k?", "Who approves a purchase of 250k?"),
        (WHO, "What if it is 5,000?", "Who approves a purchase of 5,000?"),
        (
            "Who approves purchases above USD 50,000 and up to 100,000?",
            "what about more?",
            "Who approves purchases above USD 100,000?",
        ),
        (WHO, "and for half a million?", "Who approves a purchase of half a million?"),
        (WHO, "and in euros?", "Who approves a purchase of EUR 75,000?"),
        (WHO, "and under Revision 3?", "Who approves a purchase of 75,000 under Revision 3?"),
        (WHO, "And if it is not budgeted?", "Who approves a purchase of 75,000 if it is not budgeted?"),
        ("Who approves a variation of 10 percent?", "And above that?", "Who approves a variation above 10 percent?"),
        (WHO, "What about smaller purchases?", "Who approves a purchase below 75,000?"),
        (WHO, "And who approves more than that?", "Who approves above 75,000? (purchase)"),
        ("Who approves purchases?", "And above 250,000?", "Who approves purchases above 250,000?"),
        # times
        (SPENT, "And in the first quarter?", "What was spent on fuel in first quarter FY2025?"),
        (SPENT, "and for Q1?", "What was spent on fuel in Q1 FY2025?"),
        (SPENT, "And in June?", "What was spent on fuel in June FY2025?"),
        (SPENT, "and in FY2024?", "What was spent on fuel in Q2 FY2024?"),
        (SPENT, "and the quarter before?", "What was spent on fuel in Q1 FY2025?"),
        ("What is the penalty after 10 days of delay?", "and after 30 days?", "What is the penalty after 30 days of delay?"),
        (
            "How much is in the 2025 budget for pumps?",
            "How much is planned for the year after?",
            "How much is planned for 2026? (budget pumps)",
        ),
        # categories, roles, documents, abbreviations
        ("Who signs contracts for services?", "what about consultants?", "Who signs contracts for consultants?"),
        (
            "How many quotes are needed for goods?",
            "is that also true for services?",
            "How many quotes are needed for services?",
        ),
        (
            "How much is the security for service contracts?",
            "Is it different for works?",
            "How much is the security for works contracts?",
        ),
        ("What can the CFO sign?", "And the Director of Finance?", "What can the Director of Finance sign?"),
        ("Who owns the procurement policy?", "What about the travel policy?", "Who owns the travel policy?"),
        (PERIOD, "And for an RFP?", "What is the minimum bidding period for an RFP?"),
        # clauses and codes
        ("What does clause 4.2 say?", "and 4.3?", "What does clause 4.3 say?"),
        ("What does clause 4.2 say?", "And clause 5.1(b)?", "What does clause 5.1(b) say?"),
        ("What is form PR-06 used for?", "and PR-05?", "What is form PR-05 used for?"),
        # any noun
        (FEE, "and its deadline?", "What is the deadline for registration?"),
        (CARD, "And of the fleet card?", "What are the limits of the fleet card?"),
        ("What is the per diem for New York?", "And for Chicago?", "What is the per diem for Chicago?"),
        ("What is the first step of registration?", "and the second one?", "What is the second step of registration?"),
        (FEE, "tell me more", FEE),
    ],
)
def test_what_the_follow_up_names_stands_in_for_its_like(before, follow_up, wanted):
    assert stand_alone(follow_up, [Turn(before)]) == wanted


@pytest.mark.parametrize(
    ("before", "answer", "follow_up", "wanted"),
    [
        (WHO, APPROVER, "and above that?", "Who approves a purchase above USD 250,000?"),
        (WHO, APPROVER, "or anything below?", "Who approves a purchase below USD 50,000?"),
        (WHO, "The board [1].", "and above that?", "Who approves a purchase above 75,000?"),
        ("What must a vendor hand in?", PAPERS, "and the second one?", "What must a vendor hand in: Bank letter?"),
        (FEE, "It costs 120 [1].", "And who pays it?", "And who pays it? (fee registration)"),
    ],
)
def test_an_answer_settles_what_is_meant_and_is_never_a_source(before, answer, follow_up, wanted):
    assert stand_alone(follow_up, [Turn(before, answer)]) == wanted


@pytest.mark.parametrize(
    ("follow_ups", "wanted"),
    [
        (["and above that?"], "above USD 50,000"),
        (["and the level below?"], "below USD 5,000"),
        (["and above that?", "and above that?"], "above USD 250,000"),
        (["and above that?", "or less?"], "below USD 50,000"),
        (["and the next band?", "and above that?", "and above that?"], "above USD 250,000"),
    ],
)
def test_where_no_answer_is_kept_the_bands_of_the_rules_say_what_lies_above(follow_ups, wanted):
    ladder = (
        "Buyer: up to USD 5,000\nHead: above USD 5,000 up to USD 50,000\n"
        "CFO: above USD 50,000 up to USD 250,000\nBoard: above USD 250,000"
    )

    def known(question):
        return ladder if "purchase" in question else ""

    *earlier, last = ["Who approves a purchase of 20,000?", *follow_ups]
    rewritten = stand_alone(last, [Turn(question) for question in earlier], known=known)
    assert rewritten == f"Who approves a purchase {wanted}?"


@pytest.mark.parametrize(
    ("before", "follow_up", "wanted"),
    [
        ("What is form PR-06 used for?", "who signs it?", "who signs it? (form PR-06 used)"),
        ("Why are late bids rejected?", "why?", "why? (late bids rejected)"),
        ("How much is the per diem cut for a breakfast?", "What about a dinner?", "What about a dinner? (diem cut breakfast)"),
        (CARD, "How much is that for a buyer?", "How much is that for a buyer? (limits standard purchasing card)"),
        (SPENT, "How much of it was in Q1?", "How much of it was in Q1? (spent fuel FY2025)"),
        ("Quel est le délai pour les biens ?", "Et pour les services ?", "Et pour les services ? (Quel délai biens)"),
        ("采购由谁批准？", "那服务呢？", "那服务呢？ (采购由谁批准)"),
        ("खरीद की सीमा क्या है?", "और सेवाओं के लिए?", "और सेवाओं के लिए? (खरीद की सीमा क्या है)"),
        ("ما حد الشراء؟", "وماذا عن الخدمات؟", "وماذا عن الخدمات؟ (ما حد الشراء)"),
    ],
)
def test_where_nothing_has_its_like_the_words_that_matter_are_joined(before, follow_up, wanted):
    assert stand_alone(follow_up, [Turn(before)]) == wanted


@pytest.mark.parametrize(
    ("before", "follow_up", "wanted"),
    [
        (
            "Who approves an award after an RFP of 2 million?",
            "And who signs the contract?",
            "Who signs the contract of 2 million?",
        ),
        ("Who signs a contract of 200,000?", "And who approves the payment?", "Who approves the payment of 200,000?"),
        ("Who approves USD 75,000 for travel?", "And who signs the contract?", "Who signs the contract of USD 75,000?"),
        (
            "Who signs a contract above EUR 200,000?",
            "and who can approve payments then?",
            "Who can approve payments above EUR 200,000?",
        ),
        ("Who approves a variation of 10 percent?", "And who signs the contract?", "Who signs the contract?"),
        (
            "Who approves a purchase of 75,000 if it is not budgeted?",
            "And who signs the contract?",
            "Who signs the contract of 75,000?",
        ),
        # No act of its own, or a thing that only the question before names.
        (WHO, "And who signs it?", "And who signs it? (approves purchase 75,000)"),
        (WHO, "And who approves the exception?", "And who approves the exception? (purchase 75,000)"),
        ("What is the fee for a purchase of 5,000?", "And who pays the fee?", "And who pays the fee? (purchase 5,000)"),
    ],
)
def test_a_follow_up_with_an_act_of_its_own_keeps_the_amount_alone(before, follow_up, wanted):
    assert stand_alone(follow_up, [Turn(before)]) == wanted


def test_follow_ups_of_follow_ups_build_on_each_other():
    history = [Turn(WHO), Turn("And above 250,000?"), Turn("And for services?")]
    assert stand_alone("and 90k?", history[:2]) == "Who approves a purchase above 90k?"
    assert stand_alone("How long does it take?", history) == "How long does it take? (services approves purchase above 250,000)"


def test_a_new_question_and_a_first_one_are_left_as_they_are():
    new = "And who is responsible for approving the annual procurement plan?"
    assert stand_alone(new, [Turn(WHO)]) == new
    assert stand_alone("And then?", []) == "And then?"
