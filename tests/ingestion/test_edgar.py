"""Filings fetched from a loopback server that answers like EDGAR, with its faults; pauses are noted instead of slept."""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ingestion import edgar
from ingestion.__main__ import main
from ingestion.discover import scan
from ingestion.edgar import SECONDS_BETWEEN, Edgar, fetch
from ingestion.ready_chunks import ready_pages
from rag.errors import FetchError

CONTACT = "Larkmere Water purchasing@larkmere.example"
REPORT = """<html><head><title>x</title></head><body><div style="display:none"><p>hidden facts</p></div>
<p>Item 7. Management&#8217;s Discussion</p><p>Net sales rose.</p>
<table><tr><td>Net sales</td><td></td><td>$</td><td>391,035</td><td>(2</td><td>)%</td></tr></table></body></html>"""
RECENT = {
    "accessionNumber": ["0000320193-24-000123", "0000320193-24-000081", "0000320193-23-000106"],
    "form": ["10-K", "10-Q", "10-K"],
    "filingDate": ["2024-11-01", "2024-08-02", "2023-11-03"],
    "reportDate": ["2024-09-28", "2024-06-29", "2023-09-30"],
    "primaryDocument": ["aapl-2024.htm", "aapl-q3.htm", "aapl-2023.htm"],
}
OLDER = {name: [values[2].replace("2023", "2022").replace("-23-", "-22-")] for name, values in RECENT.items()}
ARCHIVE = "CIK0000320193-submissions-001.json"
PAGES = {
    "/files/company_tickers.json": {"0": {"cik_str": 320193, "ticker": "AAPL", "title": "Apple Inc."}},
    "/submissions/CIK0000320193.json": {
        "filings": {"recent": RECENT, "files": [{"name": "CIK0000320193-submissions-001.json"}]}
    },
    f"/submissions/{ARCHIVE}": OLDER,
    "/Archives/edgar/data/320193/000032019324000123/aapl-2024.htm": REPORT,
    "/Archives/edgar/data/320193/000032019323000106/aapl-2023.htm": REPORT,
    "/Archives/edgar/data/320193/000032019322000106/aapl-2022.htm": REPORT,
}


class Sec:
    """The server: `asked` are the paths it was asked for, `faults` the status codes it gives first for a path."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.agents: set[str | None] = set()
        self.faults: dict[str, list[int]] = {}
        sec = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                sec.asked.append(self.path)
                sec.agents.add(self.headers["User-Agent"])
                if sec.faults.get(self.path):
                    self.send_response(sec.faults[self.path].pop(0))
                    self.send_header("Retry-After", "7")
                    self.end_headers()
                    return
                page = PAGES.get(self.path)
                self.send_response(200 if page else 404)
                self.send_header("Content-Encoding", "gzip")
                self.end_headers()
                self.wfile.write(gzip.compress((page if isinstance(page, str) else json.dumps(page)).encode()))

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def sec():
    sec = Sec()
    yield sec
    sec.server.shutdown()
    sec.server.server_close()


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def service(sec, pauses):
    return Edgar(CONTACT, www=sec.address, data=sec.address, sleep=pauses.append)


def test_a_filing_becomes_ready_chunks_under_its_items(service, sec, tmp_path):
    told = []
    (path,) = fetch(service, "aapl", "10-K", count=1, directory=tmp_path, tell=told.append)
    assert path.relative_to(tmp_path).as_posix() == "edgar/AAPL/AAPL 10-K 2024-09-28 filed 2024-11-01.jsonl"
    assert told == [f"{path.name} fetched"]
    pages, metadata = ready_pages(path.read_text())
    assert pages[0].text == "Item 7. Management’s Discussion\nNet sales rose.\nNet sales | $391,035 | (2)%"
    assert [heading.text for heading in pages[0].headings] == ["Item 7. Management’s Discussion"]
    assert {key: value.value for key, value in metadata.items()} == {
        "title": "Apple Inc. 10-K 2024-09-28",
        "document_type": "10-K",
        "organisation": "Apple Inc.",
        "year": "2024",
    }
    assert [file.path for file in scan(tmp_path, {}).files] == [path.relative_to(tmp_path).as_posix()]
    assert sec.agents == {CONTACT}


def test_older_filings_are_looked_for_in_the_archives(service, tmp_path):
    paths = fetch(service, "AAPL", "10-k", count=3, directory=tmp_path, tell=str)
    assert [path.name[10:20] for path in paths] == ["2024-09-28", "2023-09-30", "2022-09-30"]


def test_an_interrupted_fetch_goes_on_with_what_is_missing(service, sec, tmp_path):
    second = "/Archives/edgar/data/320193/000032019323000106/aapl-2023.htm"
    sec.faults[second] = [404]
    with pytest.raises(FetchError, match="404"):
        fetch(service, "AAPL", "10-K", count=2, directory=tmp_path, tell=str)
    sec.asked.clear()
    paths = fetch(service, "AAPL", "10-K", count=2, directory=tmp_path, tell=str)
    assert [path for path in sec.asked if path.endswith(".htm")] == [second]
    assert all(path.is_file() for path in paths)
    assert not list(tmp_path.rglob("*.part"))


def test_requests_keep_their_distance_and_wait_as_long_as_they_are_told(service, sec, pauses, tmp_path):
    sec.faults["/files/company_tickers.json"] = [429, 503]
    fetch(service, "AAPL", "10-K", count=1, directory=tmp_path, tell=str)
    assert pauses.count(7.0) == 2
    distances = [pause for pause in pauses if pause != 7.0]
    assert len(distances) == len(sec.asked) == 5
    assert all(0 <= pause <= SECONDS_BETWEEN for pause in distances)
    assert max(distances) > 0


def test_it_gives_up_in_the_end_and_says_so(service, sec):
    sec.faults["/files/company_tickers.json"] = [503] * 10
    with pytest.raises(FetchError, match="5 tries: it answered 503"):
        service.company("AAPL")


def test_no_connection_is_said_in_words(pauses):
    service = Edgar(CONTACT, www="http://127.0.0.1:9", data="http://127.0.0.1:9", sleep=pauses.append)
    with pytest.raises(FetchError, match="Connection refused"):
        service.company("AAPL")


@pytest.mark.parametrize(
    ("ticker", "form", "message"),
    [("NOPE", "10-K", 'no company with the ticker "NOPE"'), ("AAPL", "10-X", "has filed no 10-X")],
)
def test_what_edgar_does_not_have_is_named(service, ticker, form, message):
    with pytest.raises(FetchError, match=message):
        service.filings(ticker, form, count=1)


def test_a_refusal_names_the_user_agent(service, sec):
    sec.faults["/files/company_tickers.json"] = [403]
    with pytest.raises(FetchError, match="refuses the user agent"):
        service.company("AAPL")


@pytest.mark.parametrize("user_agent", ["", "Mozilla/5.0"])
def test_a_contact_is_required(user_agent):
    with pytest.raises(FetchError, match="SEC_USER_AGENT"):
        Edgar(user_agent)


def test_the_command(sec, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        edgar.Edgar.__init__, "__kwdefaults__", {"www": sec.address, "data": sec.address, "sleep": lambda s: None}
    )
    where = ["--documents", str(tmp_path / "data"), "--index", str(tmp_path / "index")]
    monkeypatch.delenv("SEC_USER_AGENT", raising=False)
    assert main(["edgar", "--ticker", "AAPL", *where]) == 2
    assert "SEC_USER_AGENT" in capsys.readouterr().err
    assert main(["edgar", "--ticker", "AAPL", "--user-agent", CONTACT, "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out) == {"files": ["edgar/AAPL/AAPL 10-K 2024-09-28 filed 2024-11-01.jsonl"]}
