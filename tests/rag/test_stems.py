"""The stems of each language against those of NLTK's Snowball stemmers."""

import pytest
from nltk.stem.snowball import SnowballStemmer

from rag.tokens import stemmer

WORDS = {
    "english": "approvals suppliers thresholds contracting quotations awarded evaluation securities validity bidders",
    "italian": "offerte fornitori ricevimento aggiudicazione affidamento subappalto garanzie procedure",
    "portuguese": "propostas fornecedores contratação adjudicação garantias prazos pagamentos",
    "german": "Angebote Lieferanten Vergabe Fristen Zuschläge Verträge Sicherheiten",
    "spanish": "ofertas proveedores contratación adjudicación garantías plazos pagos",
    "french": "offres fournisseurs marchés délais attribution garanties paiements",
}


@pytest.mark.parametrize("language", WORDS)
def test_stems_are_those_of_snowball(language):
    reference, stem = SnowballStemmer(language), stemmer(language)
    words = [word.lower() for word in WORDS[language].split()]
    assert [stem(word) for word in words] == [reference.stem(word) for word in words]
