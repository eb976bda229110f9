import pytest

from ingestion.legibility import unusable_because


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Purchases above USD 5,000 need three written quotations and the approval of the department head before an order.",
        "\uf0b7 Ensure full and open competition \uf0b7 Record the reasons",
        "RFQ PHP ABC BAC TWG PR PO IAR ORS DV JEV NTHP LDDAP MDS SARO NCA GAA BIR TIN LCRB SCRB LOT UACS",
        "1,234.00 5,678.00 9.1% 12/05/2024 (44) 1,234.00 5,678.00 9.1% 12/05/2024 (44)",
        "項目描述：負責四川省引水隧洞爆破方案優化設計",
        "تعتبر البرمجة من األدوات القوية التي يمكن أن تعزز",
        "Die Vergabestelle fordert mindestens drei Angebote schriftlich an und dokumentiert den Preisvergleich.",
    ],
)
def test_usable_text(text):
    assert unusable_because(text) == ""


def test_glyphs_that_map_to_nothing():
    assert unusable_because("\ue001\ue002\ue003 \ufffd\ufffd ab") == "its font does not say which letters its glyphs are"


def test_control_characters_for_letters():
    assert unusable_because("\x19\x12") == "its font does not say which letters its glyphs are"


def test_glyph_names():
    text = "(cid:12)(cid:45)(cid:3)(cid:77) (cid:12)(cid:45)"
    assert unusable_because(text) == "its text layer holds glyph names instead of letters"


def test_letters_shifted_by_a_font_without_a_map():
    plain = (
        "Purchases above the threshold require three written quotations approval department before order placed with supplier "
    )
    shifted = "".join(chr((ord(c) - 97 + 3) % 26 + 97) if c.islower() else c for c in plain * 4)
    assert unusable_because(plain * 4) == ""
    assert unusable_because(shifted) == "its text layer is not made of words"
