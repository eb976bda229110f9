"""A ticker and a form in, the company's filings as files of ready chunks in the documents folder out, from SEC EDGAR."""

import gzip
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.filing_text import filing_pieces
from rag.errors import FetchError

WWW = "https://www.sec.gov"
DATA = "https://data.sec.gov"
SECONDS_BETWEEN = 0.2  # the SEC allows ten requests a second and locks out who exceeds them
TIMEOUT = 30.0
RETRIES = 4
RETRIED = (429, 500, 502, 503, 504)
LONGEST_WAIT = 60.0
CONTACT = re.compile(r"\S+@\S+\.\S+")


@dataclass(frozen=True, slots=True)
class Filing:
    ticker: str
    company: str
    form: str
    filed: str  # ISO dates
    period: str
    url: str

    @property
    def file_name(self) -> str:
        """Told apart by the day of filing, because a form may be filed again for the same period."""
        name = f"{self.ticker} {self.form} {self.period or self.filed} filed {self.filed}.jsonl"
        return re.sub(r"[^\w .-]", "-", name)


class Edgar:
    """The SEC's web service with its manners: a contact in every request, a pause between them, patience when told to wait."""

    def __init__(
        self, user_agent: str, *, www: str = WWW, data: str = DATA, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        if not CONTACT.search(user_agent):
            raise FetchError(
                "The SEC wants to know who fetches its filings: give --user-agent 'Your organisation you@example.com', or set "
                "SEC_USER_AGENT in .env to that."
            )
        self.user_agent = user_agent
        self.www = www
        self.data = data
        self.sleep = sleep
        self.last_request = 0.0

    def filings(self, ticker: str, form: str, *, count: int) -> list[Filing]:
        """The newest `count` filings of a form, newest first. Raises FetchError."""
        cik, company = self.company(ticker)
        found: list[Filing] = []
        for rows in self.submissions(cik):
            for row in rows:
                if row["form"].upper() == form.upper() and row["primaryDocument"] and len(found) < count:
                    folder = f"{self.www}/Archives/edgar/data/{cik}/{row['accessionNumber'].replace('-', '')}"
                    url = f"{folder}/{row['primaryDocument']}"
                    found.append(Filing(ticker.upper(), company, row["form"], row["filingDate"], row["reportDate"], url))
            if len(found) == count:
                break
        if not found:
            raise FetchError(f"{company} has filed no {form} on EDGAR. Check the form's name, for example 10-K, 10-Q or 8-K.")
        return found

    def company(self, ticker: str) -> tuple[int, str]:
        for entry in self.get_json(f"{self.www}/files/company_tickers.json").values():
            if entry["ticker"].upper() == ticker.upper():
                return int(entry["cik_str"]), entry["title"]
        raise FetchError(f'EDGAR knows no company with the ticker "{ticker}".')

    def submissions(self, cik: int) -> Iterator[list[dict[str, str]]]:
        """A company's filings, newest first, in portions: the recent ones and then the archives."""
        listing = self.get_json(f"{self.data}/submissions/CIK{cik:010}.json")["filings"]
        yield rows_of(listing["recent"])
        for archive in listing.get("files", []):
            yield rows_of(self.get_json(f"{self.data}/submissions/{archive['name']}"))

    def document(self, filing: Filing) -> str:
        return self.get(filing.url).decode("utf-8", errors="replace")

    def get_json(self, url: str) -> Any:
        try:
            return json.loads(self.get(url))
        except ValueError:
            raise FetchError(f"{url} answered with something else than JSON. Try again later.") from None

    def get(self, url: str) -> bytes:
        request = urllib.request.Request(url, headers={"User-Agent": self.user_agent, "Accept-Encoding": "gzip"})
        for attempt in range(RETRIES + 1):
            self.sleep(max(0.0, self.last_request + SECONDS_BETWEEN - time.monotonic()))
            self.last_request = time.monotonic()
            wait = min(2.0**attempt, LONGEST_WAIT)
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                    data = response.read()
                    return gzip.decompress(data) if response.headers.get("Content-Encoding") == "gzip" else data
            except urllib.error.HTTPError as error:
                problem = f"it answered {error.code} {error.reason}"
                if error.code == 403:
                    raise FetchError(
                        f"{url}: {problem}. The SEC refuses the user agent, or has locked out this address."
                    ) from None
                if error.code not in RETRIED:
                    raise FetchError(f"{url}: {problem}.") from None
                asked = error.headers.get("Retry-After", "")
                wait = min(float(asked), LONGEST_WAIT) if asked.isdigit() else wait
            except (OSError, EOFError) as error:  # no connection, a timeout, an answer that was cut off
                problem = str(getattr(error, "reason", error))
            if attempt < RETRIES:
                self.sleep(wait)
        raise FetchError(
            f"{url} could not be fetched in {RETRIES + 1} tries: {problem}. Try again later; what is there is kept."
        )


def rows_of(columns: dict[str, list[str]]) -> list[dict[str, str]]:
    """EDGAR sends a list for every column."""
    names = ("accessionNumber", "form", "filingDate", "reportDate", "primaryDocument")
    return [dict(zip(names, values, strict=True)) for values in zip(*(columns[name] for name in names), strict=True)]


def fetch(edgar: Edgar, ticker: str, form: str, *, count: int, directory: Path, tell: Callable[[str], None]) -> list[Path]:
    """Writes each filing to edgar/TICKER in the documents folder; one that is there already is not fetched again."""
    paths = []
    for filing in edgar.filings(ticker, form, count=count):
        path = directory / "edgar" / filing.ticker / filing.file_name
        if path.exists():
            tell(f"{path.name} is there already")
        else:
            write_chunks(path, filing, edgar.document(filing))
            tell(f"{path.name} fetched")
        paths.append(path)
    return paths


def write_chunks(path: Path, filing: Filing, html: str) -> None:
    """The filing as ready chunks; the file appears at once and whole."""
    year = (filing.period or filing.filed)[:4]
    metadata = {
        "title": f"{filing.company} {filing.form} {filing.period or filing.filed}",
        "company": filing.company,
        "ticker": filing.ticker,
        "form": filing.form,
        "year": year,
        "filed": filing.filed,
        "url": filing.url,
    }
    pieces = filing_pieces(html)
    if not pieces:
        raise FetchError(f"{filing.url} holds no text.")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("w", encoding="utf-8") as file:
        for number, piece in enumerate(pieces, start=1):
            chunk = {"id": f"{path.stem} {number}", "text": piece.text, "metadata": {**metadata, "section": piece.item}}
            file.write(json.dumps(chunk, ensure_ascii=False) + "\n")
    os.replace(unfinished, path)
