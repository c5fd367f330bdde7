"""A link in a mail leads in: the page of another site has it, and the cookie is a strict one."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")
from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from ventris.web.app import Settings, create_app


def test_a_link_clicked_elsewhere_opens_the_room_it_names(visit, watched_page):
    with visit(create_app(Settings(token="sesame", hosts=()))) as studio:
        mail = FastAPI()
        link = f"{studio.base_url}/?token=sesame#/caesar?shift=3&text=Khoor"

        @mail.get("/")
        def letter() -> HTMLResponse:
            return HTMLResponse(f'<a id="link" href="{link}">Look at this</a>')

        with visit(mail) as post:
            page = watched_page()
            page.set_default_timeout(60_000)
            page.goto(f"http://localhost:{post.base_url.port}/")  # another site than 127.0.0.1
            page.click("#link")
            page.wait_for_selector("#reading:text-is('Hello')")
            assert "sesame" not in page.url
