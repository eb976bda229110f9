"""An evaluation result in, one readable HTML page out: the figures, then every question that failed and where it was lost."""

from html import escape

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1f2937; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
th, td { border-bottom: 1px solid #e5e7eb; padding: .4rem .6rem; text-align: left; vertical-align: top; }
th { background: #f3f4f6; font-weight: 600; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.total td { font-weight: 600; }
"""


def html_report(result: dict, *, title: str) -> str:
    failures = [record for record in result["questions"] if failed(record)]
    return "\n".join(
        [
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
            f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>",
            figures_section(result["figures"]),
            latency_section(result["milliseconds"]),
            f"<h2>{len(failures)} of {len(result['questions'])} questions failed</h2>",
            failures_section(failures),
            "</body></html>",
        ]
    )


def failed(record: dict) -> bool:
    if not record["expected"]:
        return record["tier"] == "high"
    return record["rank"] is None or record["rank"] > 5 or record["tier"] == "none"


def figures_section(figures: dict[str, dict[str, float]]) -> str:
    names = list(dict.fromkeys(name for row in figures.values() for name in row))
    head = "".join(f"<th>{escape(name)}</th>" for name in ["kind", *names])
    rows = []
    for kind, row in figures.items():
        cells = "".join(f'<td class="number">{number(row[name])}</td>' if name in row else "<td></td>" for name in names)
        total = ' class="total"' if kind == "all" else ""
        rows.append(f"<tr{total}><td>{escape(kind)}</td>{cells}</tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def number(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() and value > 1 else f"{value:.3f}"


def latency_section(milliseconds: dict[str, dict[str, float]]) -> str:
    rows = "".join(
        f'<tr><td>{escape(stage)}</td><td class="number">{ms["p50"]}</td><td class="number">{ms["p95"]}</td></tr>'
        for stage, ms in milliseconds.items()
    )
    return f"<h2>Milliseconds a stage</h2><table><tr><th>stage</th><th>p50</th><th>p95</th></tr>{rows}</table>"


def failures_section(failures: list[dict]) -> str:
    rows = []
    for record in failures:
        question = "".join(f"<small>{escape(earlier)}</small><br>" for earlier in record["history"]) + escape(
            record["question"]
        )
        expected = "<br>".join(f"{escape(p['file'])} p. {', '.join(map(str, p['pages']))}" for p in record["expected"])
        came = "<br>".join(f"{escape(hit['file'])} p. {hit['page']}" for hit in record["hits"][:5])
        why = record["lost_at"] or (f"tier {record['tier']}" if record["tier"] else f"rank {record['rank']}")
        rows.append(
            f"<tr><td>{escape(record['kind'])}</td><td>{question}</td><td>{expected or 'not in the documents'}</td>"
            f"<td>{came}</td><td>{escape(why)}</td></tr>"
        )
    head = "<tr><th>kind</th><th>question</th><th>expected</th><th>came instead</th><th>why</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>"
