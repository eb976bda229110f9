"""A browser in; who it is, so that people see their own conversations only, out; and pages that keep to themselves."""

import secrets
from http.cookies import SimpleCookie

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "visitor"
YEAR = 365 * 24 * 3600


def visitor() -> str:
    """Who signed in, where the server asks people to; else the browser's own random name; "" without cookies."""
    if st.user.get("is_logged_in") or st.user.get("email"):
        return str(st.user.get("email") or st.user.get("sub") or "")
    return st.context.cookies.get(COOKIE, "")


class PageHeaders:
    """Gives a new browser its name, and every page the rules that no picture comes from elsewhere and no address leaks.

    A page is also told where its server is; else it tries its own address first, which fails visibly on every page but one.
    """

    def __init__(self, app: ASGIApp, base: str = "") -> None:
        self.app = app
        where = f'location.origin + "/{base}"'.encode()
        self.head = b"<head><script>window.__streamlit = {...window.__streamlit, BACKEND_BASE_URL: " + where + b"}</script>"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        known = COOKIE in SimpleCookie(asked.get("cookie", ""))
        if "text/html" in asked.get("accept", ""):  # a page is written into, so it must not come compressed
            scope = {**scope, "headers": [header for header in scope["headers"] if header[0] != b"accept-encoding"]}
        starts_page = False

        async def send_with_headers(message: Message) -> None:
            nonlocal starts_page
            if message["type"] == "http.response.body" and starts_page:
                starts_page = False
                message["body"] = message.get("body", b"").replace(b"<head>", self.head, 1)
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    starts_page = "content-encoding" not in headers and scope["method"] == "GET"
                    if starts_page and "content-length" in headers:
                        del headers["content-length"]  # it grows; sent in chunks instead
                    headers["Content-Security-Policy"] = "img-src 'self' data: blob:"
                    headers["Referrer-Policy"] = "same-origin"  # the address names the conversation
                    if not known:
                        secure = "; Secure" if scope["scheme"] == "https" else ""
                        value = f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={YEAR}; HttpOnly; SameSite=Lax{secure}"
                        headers.append("Set-Cookie", value)
            await send(message)

        await self.app(scope, receive, send_with_headers)
