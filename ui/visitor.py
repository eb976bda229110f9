"""A browser in; who it is, so that people see their own conversations only, out; and headers that keep pages to themselves."""

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
    """Gives a new browser its name, and every page the rules that no picture comes from elsewhere and no address leaks."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        known = COOKIE in SimpleCookie(Headers(scope=scope).get("cookie", ""))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Content-Security-Policy"] = "img-src 'self' data: blob:"
                    headers["Referrer-Policy"] = "same-origin"  # the address names the conversation
                    if not known:
                        secure = "; Secure" if scope["scheme"] == "https" else ""
                        value = f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={YEAR}; HttpOnly; SameSite=Lax{secure}"
                        headers.append("Set-Cookie", value)
            await send(message)

        await self.app(scope, receive, send_with_headers)
