from rag.candidates import PageNumbers, by_page
from rag.index import IndexReader
from tests.published import FINGERPRINT, SETTINGS, document, publish_documents


def test_a_page_is_ranked_by_its_best_piece_and_rankings_are_cut_to_so_many_pages(tmp_path):
    publish_documents(tmp_path, [document("a.pdf", "one", "two"), document("b.pdf", "three")])
    page_of = PageNumbers(IndexReader(tmp_path, fingerprint=FINGERPRINT, settings=SETTINGS).snapshot())
    page_of.of_row[1] = page_of.of_row[0]  # two pieces of one page
    ranked = by_page({"dense": [(1, 5.0), (2, 4.0), (0, 3.0)], "lexical": []}, page_of, limits={})
    assert ranked == {"dense": [(page_of(0), 5.0), (page_of(2), 4.0)], "lexical": []}
    assert by_page({"dense": [(1, 5.0), (2, 4.0)]}, page_of, limits={"dense": 1}) == {"dense": [(page_of(0), 5.0)]}
