"""A page to ask questions on, each turn a follow-up: pip install streamlit; streamlit run page.py"""

from uuid import uuid4

import streamlit as st

from ddax import Context, open_agent
from ddax.errors import DdaxError


@st.cache_resource
def agent():
    """Open one agent for all visitors; it is closed with the process."""
    return open_agent(Context(sources=("python:statistics",))).__enter__()


st.title("Ask the documentation")
talk = st.session_state.setdefault("talk", [])
thread = st.session_state.setdefault("thread", f"page-{uuid4().hex[:8]}")
for question, answer in talk:
    st.chat_message("user").write(question)
    st.chat_message("assistant").write(answer)

if asked := st.chat_input("Which function returns the median of numeric data?"):
    st.chat_message("user").write(asked)
    with st.chat_message("assistant"):
        try:
            with st.spinner("Reading"):
                result = agent().run_sync(asked, thread=thread)
        except DdaxError as error:
            st.error(f"{error.what} {error.mend}")
            st.stop()
        st.write(result["answer"])
        for citation in result["citations"]:
            with st.expander(f"{citation['title']} ({citation['source']})"):
                st.text(citation["quote"])  # as it is, whatever signs of Markdown it holds
        st.caption(f"{result['status']}, {result['usage']['seconds']:.1f} s")
    talk.append((asked, result["answer"]))
