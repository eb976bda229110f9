"""Judged pages in; those of dated documents scored lower the older they are, as the configuration asks, out.

Off unless `half_life_days` says otherwise: what an old circular says may still hold. Age is counted from the newest of the
dated pages found, not from today, so that one index gives one answer.
"""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from datetime import date

from rag.config import RetrievalSettings
from rag.domain import FileRecord, Query
from rag.filters import value_of, years_in
from rag.prepared import Prepared
from rag.scorer import Evidence
from rag.trace import Trace, traced_evidence

DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
DATED_BY = ("last_message", "effective_date")
LEAST = 0.5  # of its score is left to a page however old it is: a good match still comes before a bad new one


def newer_higher(
    query: Query, judged: Sequence[Evidence], prepared: Prepared, settings: RetrievalSettings, trace: Trace
) -> list[Evidence]:
    """The pages by their scores after the loss by age; unchanged where it is off, or the question names a time itself."""
    if not settings.half_life_days or query.filters.year or years_in(query.standalone):
        return list(judged)
    dates = {each.page: found for each in judged if (found := date_of(each, prepared, settings.dated_types))}
    if len(set(dates.values())) < 2:
        return list(judged)
    weighted = by_age(judged, dates, half_life_days=settings.half_life_days)
    trace.add(
        "recency",
        f"Pages of dated documents weighed by age, half-life {settings.half_life_days:g} days: {len(dates)}.",
        items=traced_evidence(weighted, prepared),
    )
    return weighted


def by_age(judged: Sequence[Evidence], dates: Mapping[int, date], *, half_life_days: float) -> list[Evidence]:
    newest = max(dates.values())
    weighted = []
    for each in judged:
        days = (newest - dates[each.page]).days if each.page in dates else 0
        share = LEAST + (1 - LEAST) * 0.5 ** (days / half_life_days)
        weighted.append(dataclasses.replace(each, score=each.score * share) if each.score > 0 else each)
    return sorted(weighted, key=lambda each: -each.score)


def date_of(evidence: Evidence, prepared: Prepared, types: Sequence[str]) -> date | None:
    """The date of a page, where its document is of one of the types: of its last message, else the document's."""
    snapshot = prepared.snapshot
    file = snapshot.files[prepared.page_of.file_of(evidence.page)]
    if value_of(file, "document_type") not in types:
        return None
    return last_date(snapshot.chunk(evidence.rows[0]).page_label) or document_date(file)


def document_date(file: FileRecord) -> date | None:
    """When a document was last true of: its last message, its effective date, else the end of its year."""
    stated = next((found for name in DATED_BY if (found := last_date(value_of(file, name)))), None)
    years = years_in(value_of(file, "year"))
    return stated or (date(int(years[-1]), 12, 31) if years else None)


def last_date(text: str) -> date | None:
    for year, month, day in reversed(DATE.findall(text)):
        try:
            return date(int(year), int(month), int(day))
        except ValueError:
            continue  # "2024-13-45" is a number of something else
    return None
