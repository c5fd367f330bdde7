"""What a stranger may try: every refusal is a sentence with the headers, and nothing leads to a file."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("fastapi")
from ventris.web.app import Settings, create_app
from ventris.web.security import POLICY
from ventris.web.server import page_address

MEANS = {"x0": -0.504, "y0": -0.264, "x1": 1.646, "y1": 0.181}


@pytest.fixture(scope="module")
def app():
    app = create_app(Settings())

    @app.get("/api/broken", include_in_schema=False)
    def broken():
        raise RuntimeError("a fault of our own")

    return app


@pytest.fixture(scope="module")
def client(visit, app):
    with visit(app) as client:
        yield client


def check_refused(answer, *statuses):
    assert answer.status_code in statuses, answer.text
    assert answer.json()["error"]
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/two", {"seed": -1, **MEANS}),
        ("/api/two/train", {"start_seed": -1, **MEANS}),
        ("/api/two/train", {"start": {"coef": [[1.0]], "intercept": [0.0]}, **MEANS}),
        ("/api/encipher", {"text": "abc", "seed": -1}),
        ("/api/own/fit", {"data": "a", "labels": "b", "seed": -1}),
        ("/api/read/preview", {"seed": -1}),
    ],
)
def test_numbers_that_nothing_can_be_drawn_with_are_refused(client, path, body):
    check_refused(client.post(path, json=body), 422)


def test_a_fault_of_our_own_is_a_sentence_with_the_headers(client, capfd):
    check_refused(client.get("/api/broken"), 500)
    assert "a fault of our own" in capfd.readouterr().err


@pytest.mark.parametrize("headers", [{"host": "[::1"}, {"host": ""}, {"host": "::::"}])
def test_a_host_that_is_none_is_refused(client, headers):
    check_refused(client.get("/api/about", headers=headers), 400, 403)


@pytest.mark.parametrize("origin", ["http://[::1", "null", "http://", "ht!tp://x"])
def test_an_origin_that_is_none_is_refused(client, origin):
    check_refused(client.post("/api/caesar", json={"text": "abc"}, headers={"origin": origin}), 403)


@pytest.mark.parametrize("name", ["ü" * 90 + ".csv", "a" * 300 + ".csv", "%00.csv", "%2e%2e%2fx.csv"])
def test_a_name_that_no_disk_takes_is_made_one(client, name):
    answer = client.put(f"/api/uploads/{name}", content=b"1,2\n")
    if answer.status_code != 200:
        check_refused(answer, 404, 405, 422)
    else:
        assert len(answer.json()["name"].encode()) <= 100 and "/" not in answer.json()["name"]


def test_a_cookie_that_is_none_is_no_token(visit):
    with visit(create_app(Settings(token="sesame", hosts=()))) as client:
        check_refused(client.get("/api/about", headers={"cookie": b"a=(; ventris_token=\xff"}), 403)
        check_refused(client.get("/?token=%FF%FE"), 403)


def test_no_path_of_the_server_is_taken_for_a_font(client, tmp_path):
    from ventris.datasets.glyphs import _font_folder

    real = next(iter(sorted(_font_folder().glob("*.ttf"))))
    answer = client.post("/api/read/preview", json={"text": "abc", "fonts": [str(real)]})
    check_refused(answer, 422)
    assert "names of fonts" in answer.json()["error"]


def test_the_printed_address_can_be_opened_from_elsewhere():
    assert "127.0.0.1" not in page_address("0.0.0.0", 80, "abc")
    assert page_address("::", 80, None).startswith("http://")


def test_every_status_that_schemathesis_finds_is_documented(app, visit):
    schemathesis = pytest.importorskip("schemathesis")
    from reliability.web.interface import losses

    del schemathesis
    with visit(create_app()) as client:
        found = losses(str(client.base_url), seconds=15)
    assert found.tried > 0 and found.losses == {}, json.dumps(found.losses, indent=1)
