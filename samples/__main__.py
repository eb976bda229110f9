"""Writes the sample pack into data/ and the bilingual notices beside their golden set: `python -m samples`."""

from pathlib import Path

from samples import layout, markup, scan

HERE = Path(__file__).parent
PROJECT = HERE.parent
TARGETS = {"documents": PROJECT / "data", "notices": PROJECT / "evaluation" / "golden" / "bilingual"}


def pdf_of(source: Path) -> tuple[str, bytes]:
    """The file name under its target folder and the PDF that one prose file becomes."""
    document = markup.read(source)
    printed = layout.set_pages(document)
    if document.settings.scanned:
        printed = scan.scanned(printed, title=document.settings.title)
    return document.settings.file, printed


def write_all() -> list[Path]:
    """Writes every PDF of the pack and returns where."""
    written = []
    for folder, target in TARGETS.items():
        for source in sorted((HERE / folder).glob("*.md")):
            name, pdf = pdf_of(source)
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pdf)
            written.append(path)
    return written


if __name__ == "__main__":
    for path in write_all():
        print(f"{path.relative_to(PROJECT)}  {path.stat().st_size:,} bytes")
