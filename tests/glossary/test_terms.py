import pytest

from glossary.expand import Term
from glossary.terms import GlossaryFault, load, save

HEADER = "abbreviation,definition,category,notes\n"


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "glossary.csv"
    path.write_text(text, encoding=encoding)
    return path


def test_reads_terms_with_missing_cells_blank_lines_and_a_byte_order_mark(tmp_path):
    path = written(tmp_path, HEADER + 'LOA,Letter of  Authority\n\nPO,"Order, Purchase",buying,see 3.2\n', "utf-8-sig")
    assert load(path).terms == (Term("LOA", "Letter of Authority"), Term("PO", "Order, Purchase", "buying", "see 3.2"))


def test_names_every_mistake_with_its_line(tmp_path):
    path = written(
        tmp_path, HEADER + "LOA,Letter of Authority\nloa,Leave of Absence\n,Purchase Order\nPR,\na,b,c,d,e\nRFP,rfp\n"
    )
    with pytest.raises(GlossaryFault) as fault:
        load(path)
    text = str(fault.value)
    assert "5 mistakes" in text
    assert 'Line 3: "loa" is already defined in line 2' in text
    assert "Line 4: the abbreviation is empty" in text
    assert "Line 5: the definition is empty" in text
    assert "Line 6: 5 cells instead of 4" in text
    assert 'Line 7: "RFP" is defined by itself' in text


@pytest.mark.parametrize("header", ["", "abbr,definition\n", "abbreviation;definition;category;notes\n"])
def test_shows_the_header_it_needs(tmp_path, header):
    with pytest.raises(GlossaryFault, match=r'Line 1: .* must be "abbreviation,definition,category,notes"'):
        load(written(tmp_path, header))


def test_a_missing_file_and_a_wrong_encoding_say_what_to_do(tmp_path):
    with pytest.raises(GlossaryFault, match="create it"):
        load(tmp_path / "none.csv")
    with pytest.raises(GlossaryFault, match="CSV UTF-8"):
        load(written(tmp_path, HEADER + "É,Éire\n", "latin-1"))


def test_what_is_saved_is_read_again_and_no_temporary_file_stays(tmp_path):
    terms = (Term("LOA", "Letter of Authority", "approval", 'a "quoted", note'),)
    save(tmp_path / "glossary.csv", terms)
    assert load(tmp_path / "glossary.csv").terms == terms
    assert [path.name for path in tmp_path.iterdir()] == ["glossary.csv"]


def test_a_glossary_with_mistakes_is_not_saved(tmp_path):
    path = written(tmp_path, HEADER + "LOA,Letter of Authority\n")
    with pytest.raises(GlossaryFault, match="not saved"):
        save(path, (Term("PO", "Purchase Order"), Term("po", "Post Office")))
    assert load(path).terms == (Term("LOA", "Letter of Authority"),)
