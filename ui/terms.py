"""The glossary in; its terms, and the abbreviations that the documents define and it lacks, to accept or dismiss, out."""

import streamlit as st

from glossary.expand import Glossary
from glossary.learn import Proposal, accept, dismiss, learn, read_dismissed
from glossary.terms import GlossaryFault, load
from rag.index import Snapshot
from ui.index_status import counted
from ui.safe_text import literal, sentence
from ui.services import services

PROPOSALS_SHOWN = 12


def glossary_page() -> None:
    st.title("Glossary", anchor=False)
    path = services().config.glossary.file
    try:
        glossary = load(path)
    except GlossaryFault as error:
        st.warning(sentence(str(error)), icon=":material/warning:")
        return
    st.caption(
        f"{counted(len(glossary.terms), 'abbreviation')} from {literal(path.name)}. "
        "Questions are searched with their abbreviations spelled out, and the definitions are given to the model."
    )
    snapshot = services().snapshot()
    if snapshot:
        proposals(snapshot, glossary)
    terms(glossary)


def proposals(snapshot: Snapshot, glossary: Glossary) -> None:
    dismissed = read_dismissed(dismissed_path())
    found = [
        proposal
        for proposal in learned(snapshot.generation, snapshot)
        if proposal.abbreviation.casefold() not in glossary.by_abbreviation
        and (proposal.abbreviation, proposal.definition) not in dismissed
    ]
    if not found:
        return
    st.subheader(f"Found in your documents ({len(found)})", anchor=False)
    with st.container(border=True, gap="xsmall", key="proposals"):
        for number, proposal in enumerate(found[:PROPOSALS_SHOWN]):
            with st.container(horizontal=True, vertical_alignment="center", key=f"proposal_{number}"):
                times = f":gray[in {counted(proposal.count, 'place')}]"
                st.markdown(f"**{literal(proposal.abbreviation)}** {literal(proposal.definition)} {times}", width="stretch")
                st.button("Add", key=f"add_{number}", icon=":material/add:", on_click=add, args=(proposal,))
                st.button(
                    "Dismiss", key=f"dismiss_{number}", type="tertiary", on_click=dismiss, args=(dismissed_path(), proposal)
                )
    if len(found) > PROPOSALS_SHOWN:
        st.caption(f"and {len(found) - PROPOSALS_SHOWN} more")


def dismissed_path():
    return services().config.glossary.file.with_suffix(".dismissed.json")


@st.cache_data(max_entries=2, show_spinner=False)
def learned(generation: str, _snapshot: Snapshot) -> list[Proposal]:
    """What one generation of the index defines; the texts are read once a generation."""
    return learn(_snapshot.chunk(row).text for row in range(len(_snapshot)))


def add(proposal: Proposal) -> None:
    try:
        accept(services().config.glossary.file, proposal)
    except (GlossaryFault, OSError) as error:
        st.toast(sentence(str(error)), icon=":material/warning:")
    else:
        st.toast(f"{literal(proposal.abbreviation)} was added.")


def terms(glossary: Glossary) -> None:
    st.subheader("Terms", anchor=False)
    wanted = st.text_input("Find a term", placeholder="Find a term", label_visibility="collapsed", width=240)
    rows = [
        {"Abbreviation": term.abbreviation, "Definition": term.definition, "Category": term.category, "Notes": term.notes}
        for term in sorted(glossary.terms, key=lambda term: term.abbreviation.casefold())
        if wanted.casefold() in f"{term.abbreviation} {term.definition} {term.category}".casefold()
    ]
    st.dataframe(rows, hide_index=True, column_config={"Definition": st.column_config.TextColumn(width=260)})


glossary_page()
