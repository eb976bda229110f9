"""What every page has around it: the sidebar with its pages, conversations and status, the open source and the open dialog."""

from pathlib import Path

import streamlit as st

from rag.errors import ProductError
from ui.conversations import conversation_list
from ui.dialogs import show_open_dialog
from ui.index_status import index_status
from ui.safe_text import literal, sentence
from ui.services import services
from ui.sources import source_panel

HERE = Path(__file__).parent

st.set_page_config(page_title="Procurement Assistant", page_icon=str(HERE / "logo.svg"))
st.html(HERE / "style.css")
with st.container(key="sidebar_script"):
    st.html(HERE / "sidebar.html", unsafe_allow_javascript=True)
try:
    settings = services().config.ui
except ProductError as error:
    st.error(f"The app can't start. {sentence(str(error))}", icon=":material/error:")
    st.stop()
st.set_page_config(page_title=settings.title)
st.logo(str(HERE / "logo.svg"), size="large")

chat = st.Page("chat.py", title="Ask", icon=":material/chat:", default=True)
documents = st.Page("documents.py", title="Documents", icon=":material/folder_open:")
search = st.Page("search.py", title="Search", icon=":material/search:")
terms = st.Page("terms.py", title="Glossary", icon=":material/menu_book:", url_path="glossary")
page = st.navigation([chat, search, documents, terms], position="hidden")

with st.sidebar:
    with st.container(key="brand", gap=None):
        st.markdown(f"**{literal(settings.title)}**")
        if settings.organisation:
            st.caption(literal(settings.organisation))
    if st.button("New question", key="new_question", icon=":material/edit_square:", width="stretch"):
        st.switch_page(chat)
    with st.container(gap="xxsmall", key="pages"):
        for entry in (search, documents, terms):
            st.page_link(entry, width="stretch")
    conversation_list(st.query_params.get("chat"))
    with st.container(key="status", gap="xsmall"):
        index_status()

show_open_dialog()
source_panel((page.url_path, st.query_params.get("chat")))  # before the page, which may be busy following an answer
try:
    page.run()
except ProductError as error:  # the history's database, say; anything else is a bug, logged by Streamlit
    st.error(sentence(str(error)), icon=":material/error:")
