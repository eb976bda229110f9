import numpy as np

from rag.word_order import HOLDS_DIGIT, WordOrder, WordOrderBuilder, number_of, numbers_of


def built(*texts):
    builder = WordOrderBuilder()
    for text in texts:
        builder.add(text.split())
    return builder.finish()


def orders(order):
    return [order.of(row).tolist() for row in range(len(order))]


def test_each_chunk_has_its_words_in_their_order(tmp_path):
    order = built("cards are lost", "", "lost cards")
    cards, lost = number_of("cards"), number_of("lost")
    assert orders(order) == [[cards, number_of("are"), lost], [], [lost, cards]]
    order.save(tmp_path / "order")
    assert orders(WordOrder.load(tmp_path / "order")) == orders(order)


def test_a_number_tells_whether_its_word_holds_a_digit():
    assert [number & HOLDS_DIGIT for number in numbers_of(["50000", "hr-204", "limit"]).tolist()] == [1, 1, 0]


def test_rows_taken_away_and_added_equal_an_order_built_anew():
    old, new = built("a b", "c", "d e f"), built("g", "a")
    changed = old.changed(kept=np.array([True, False, True]), new=new)
    assert orders(changed) == orders(built("a b", "d e f", "g", "a"))
    assert orders(old.changed(kept=np.ones(3, bool), new=built())) == orders(old)
    assert orders(built().changed(kept=np.zeros(0, bool), new=new)) == orders(new)
