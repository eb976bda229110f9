"""A question in; the documents whose title, organisation, type, year or file name it speaks of, best first, out.

In a store of many look-alike documents the right page is easily lost among the same page of other years and companies.
BM25 over one line of metadata a document finds the right document first: on FinanceBench's shared store of 342 filings,
fusing the pages inside it with the global ranking put 2.3 times as many right pages among the first five.
"""

import re
from collections.abc import Sequence

from rag.domain import FileRecord
from rag.filters import FIELDS, value_of, years_in
from rag.lexical import LexicalBuilder


class Router:
    def __init__(self, files: Sequence[FileRecord]) -> None:
        builder = LexicalBuilder()
        for file in files:
            builder.add(metadata_line(file))
        self.index = builder.finish()

    def documents(self, question: str, *, num_results: int) -> list[tuple[int, float]]:
        """Places in the files with their scores; empty where the question names no document."""
        years = " ".join(years_in(question))  # "FY2022" also as 2022
        found = self.index.search(f"{question} {years}", num_results=num_results, phrase_weight=0.0)
        return list(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def metadata_line(file: FileRecord) -> str:
    """What names a document, as words: "Spend Report, Meridian Utilities, report, FY2025 2025, Q1, spend report 2025Q1"."""
    name = file.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    # "BESTBUY_2024Q2_10Q" and "PerksPlus" as words, and also as they are
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d{4})(?=Q\d)|[_\W]+", " ", name)
    values = [value_of(file, field) for field in FIELDS]
    return ", ".join([file.title, *values, *years_in(value_of(file, "year")), apart, name])
