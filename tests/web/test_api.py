"""The JSON interface: answers, refusals with a sentence, headers, token, uploads."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

pytest.importorskip("fastapi")
import ventris as vt
from ventris import objective
from ventris.ciphers.registry import cipher_of, kinds
from ventris.web.app import Settings, create_app
from ventris.web.security import POLICY

MEANS = {"x0": -0.504, "y0": -0.264, "x1": 1.646, "y1": 0.181}


@pytest.fixture(scope="module")
def app():
    return create_app(Settings(upload_limit=1000))


@pytest.fixture(scope="module")
def client(visit, app):
    with visit(app) as client:
        yield client


def follow(client, job):
    """All events of a job to its end: pairs of a kind and its data."""
    with client.stream("GET", f"/api/jobs/{job['id']}/events") as answer:
        lines = [line for line in answer.iter_lines() if line]
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    data = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    return list(zip(kinds, data, strict=True))


# ------------------------------------------------------------------------------------------------ rooms


def test_the_shift_of_least_cost_is_the_key_and_its_cost_is_j(client):
    cipher = vt.encipher("It was the best of times, it was the worst of times", 5, kind="caesar")
    found = client.post("/api/caesar", json={"text": cipher}).json()
    assert found["best"] == int(np.argmin(found["scores"]["J"])) == 5
    assert found["readings"][5].startswith("It was the best of times")
    moved = np.roll(np.array(found["observed"]) * found["n_letters"], -5) + 1
    J = objective.cost(np.array(found["prior"]), moved / moved.sum())  # (E1)
    np.testing.assert_allclose(found["scores"]["J"][5], J, rtol=1e-3)


@pytest.mark.parametrize(("text", "language"), [("Straße, GROẞ und Öl", "de"), ("¡Año nuevo!", "es")])
def test_readings_are_those_of_the_cipher_in_every_alphabet(client, text, language):
    found = client.post("/api/caesar", json={"text": text, "language": language}).json()["readings"]
    wanted = [vt.ciphers.decipher_with(text, k, kind="caesar", language=language) for k in range(len(found))]
    assert found == wanted


@pytest.mark.parametrize("kind", kinds())
def test_a_drawn_key_enciphers_and_undoes_itself(client, kind):
    made = client.post("/api/encipher", json={"text": "Attack at dawn", "kind": kind, "seed": 3}).json()
    key = cipher_of(kind).parse(made["key"])
    read = vt.ciphers.decipher_with(made["text"], key, kind=kind)
    assert read == ("Attack at dawn" if cipher_of(kind).keeps_layout else "attackatdawn")


def test_the_page_lists_the_ciphers_of_the_registry(client):
    listed = client.get("/api/caesar/presets").json()["ciphers"]
    assert [cipher["kind"] for cipher in listed] == list(kinds())
    assert [cipher["title"] for cipher in listed if not cipher["typed"]] == [
        "Homophonic: numbers for letters"
    ]
    refused = client.post("/api/encipher", json={"text": "abc", "kind": "enigma"})
    assert refused.status_code == 422
    assert "kind must be one of caesar" in refused.text


def test_reference_errors_are_those_of_the_paper_chain(client):
    found = client.post("/api/two", json={"p01": 0.4, "p10": 0.9, "n": 30_000, **MEANS}).json()
    errors = found["errors"]
    # Bayes, one point: 3.74 % for chain 2; 5,000 test points put 0.27 points of chance on it.
    assert abs(errors["bayes"] - 0.0374) < 1e-4
    assert abs(errors["bayes_here"] - errors["bayes"]) < 4 * 0.0027
    assert errors["smoother"] <= errors["bayes_here"] + 0.002
    assert abs(errors["majority"] - 4 / 13) < 1e-4
    assert abs(errors["supervised"] - errors["bayes_here"]) < 0.005


def test_the_surface_holds_j_of_its_lines_and_l_below_j(client):
    found = client.post("/api/surface", json={"chain": 2, "method": "direct"}).json()
    z, path = np.array(found["J"]["z"]), found["J"]["path"]
    assert z.shape == (len(found["J"]["offsets"]), len(found["J"]["angles"]))
    assert z.min() > found["entropy"] - 1e-4  # J is at least H
    assert np.all(np.array(found["L"]["path"]["z"]) <= np.array(path["z"]) + 1e-3)  # L + ΣP is at most J (E5)
    assert path["z"][-1] < path["z"][0]
    # Half a turn and the other side: labels swapped, the worse basin.
    angles, offsets = np.array(found["J"]["angles"]), np.array(found["J"]["offsets"])
    right = z[np.abs(offsets - found["J"]["right"][1]).argmin(), np.abs(angles).argmin()]
    swapped = z[np.abs(offsets + found["J"]["right"][1]).argmin(), np.abs(angles + 180).argmin()]
    assert swapped > right + 0.5


def test_glyphs_are_printed_as_a_strip(client):
    printed = client.post("/api/read/preview", json={"text": "Linear B!", "noise": 0.0}).json()
    assert printed["text"] == "linear b" and printed["image"].startswith("data:image/png;base64,")


# --------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/api/caesar", {"text": "123"}, "the text must hold letters"),
        ("/api/caesar", {"text": "abc", "language": "xx"}, "language must be one of"),
        ("/api/caesar", {"text": "a" * 5001}, "text: String should have at most 5000 characters"),
        ("/api/encipher", {"text": "a", "key": "x"}, "a caesar key must look like 7"),
        ("/api/encipher", {"text": "a", "kind": "affine", "key": "2,1"}, "must be coprime to 26"),
        ("/api/two", {"variance": -1, **MEANS}, "variance: Input should be greater than or equal to 0.01"),
        ("/api/two/train", {"method": "magic", **MEANS}, "method: Input should be"),
        ("/api/surface", {"chain": 11}, "chain: Input should be less than or equal to 10"),
        ("/api/read/preview", {"text": "a", "fonts": ["../../x"]}, "fonts must hold names"),
        ("/api/own/fit", {"data": "nix", "labels": "nix"}, "A file's id must be known"),
    ],
)
def test_a_refused_request_is_a_sentence(client, path, body, sentence):
    answer = client.post(path, json=body)
    assert 400 <= answer.status_code < 500
    assert sentence in answer.json()["error"]


def test_what_is_not_there_is_said_to_be_not_there(client):
    assert client.get("/nowhere").json() == {"error": "There is nothing at /nowhere."}
    assert client.get("/static/%2e%2e/app.py").status_code == 404
    assert "long past" in client.get("/api/jobs/abc").json()["error"]


# ------------------------------------------------------------------------------------------------- jobs


def test_a_job_tells_its_story_and_a_script_can_read_it_to_the_end(client):
    job = client.post("/api/two/train", json={**MEANS, "n": 1200, "frames": 3, "updates": 50}).json()
    events = follow(client, job)
    steps = [data["step"] for kind, data in events if kind == "frame"]
    assert steps == [0, 50, 100, 150]
    assert events[-1] == ("done", {"message": "The 150 steps asked for are done."})
    assert client.get(f"/api/jobs/{job['id']}").json()["state"] == "done"


def test_a_cancelled_job_ends_at_once_and_the_next_one_runs(client):
    slow = {**MEANS, "n": 1200, "frames": 3000, "updates": 1}
    job = client.post("/api/two/train", json=slow).json()
    assert client.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    assert follow(client, job)[-1][0] == "cancelled"
    again = client.post("/api/two/train", json=slow | {"frames": 1}).json()
    assert follow(client, again)[-1][0] == "done"


def test_a_closed_tab_ends_its_stream_and_a_job_that_nobody_follows_is_ended(client, app):
    job = client.post("/api/two/train", json={**MEANS, "n": 1200, "frames": 3000, "updates": 1}).json()
    kept = app.state.jobs.all[job["id"]]
    with client.stream("GET", f"/api/jobs/{job['id']}/events") as answer:
        lines = answer.iter_lines()  # kept: a generator that is dropped closes its stream
        next(lines)
        assert kept.followers == 1
    deadline = time.monotonic() + 10
    while kept.followers and time.monotonic() < deadline:
        time.sleep(0.05)
    assert kept.followers == 0 and not kept.has_ended
    kept.patience = 0.0  # as if a quarter of an hour had passed
    while not kept.has_ended and time.monotonic() < deadline:
        time.sleep(0.1)
    kind, data = follow(client, job)[-1]
    assert kind == "cancelled" and "Nobody followed" in data["message"]


def test_a_worker_that_dies_fails_its_job_and_nothing_else(client, app):
    job = client.post("/api/two/train", json={**MEANS, "n": 1200, "frames": 3000}).json()
    workers = app.state.jobs._workers
    next(worker for worker in workers if worker.job and worker.job.id == job["id"]).kill()
    kind, data = follow(client, job)[-1]
    assert kind == "failed" and "ended unexpectedly" in data["message"]
    assert client.get("/api/about").status_code == 200


def test_more_jobs_than_can_wait_are_refused(client):
    slow = {**MEANS, "n": 1200, "frames": 3000}
    answers = [client.post("/api/two/train", json=slow) for _ in range(17)]
    assert answers[-1].status_code == 429 and "jobs of one visitor" in answers[-1].json()["error"]
    for answer in answers:
        if answer.status_code == 200:
            client.delete(f"/api/jobs/{answer.json()['id']}")


# ---------------------------------------------------------------------------------------------- uploads


def test_a_file_is_taken_looked_into_and_limited(client):
    taken = client.put("/api/uploads/points.csv", content=b"x,y\n1,2\n3,4\n").json()
    job = client.post("/api/own/inspect", json={"data": taken["id"]}).json()
    kind, found = follow(client, job)[-1]
    assert kind == "done" and found["data"]["points"] == 2
    large = client.put("/api/uploads/points.csv", content=bytes(1001))
    assert large.status_code == 413 and "megabytes" in large.json()["error"]
    assert client.put("/api/uploads/run.exe", content=b"MZ").status_code == 422
    assert "it is empty" in client.put("/api/uploads/a.csv", content=b"").json()["error"]


def test_a_pickle_in_an_array_file_is_refused(client, tmp_path):
    np.save(tmp_path / "evil.npy", np.array([print], dtype=object), allow_pickle=True)
    taken = client.put("/api/uploads/evil.npy", content=(tmp_path / "evil.npy").read_bytes()).json()
    kind, found = follow(client, client.post("/api/own/inspect", json={"data": taken["id"]}).json())[-1]
    assert kind == "failed" and "must be a NumPy file" in found["message"]


def test_the_folder_of_uploads_goes_with_the_server(visit):
    app = create_app()
    with visit(app) as client:
        taken = client.put("/api/uploads/points.csv", content=b"1,2\n").json()
        path = app.state.uploads.path(taken["id"])
        assert path.exists()
    assert not path.exists()


# --------------------------------------------------------------------------------------------- security


def test_every_answer_carries_the_policy_and_it_allows_no_inline_script(client):
    for path in ("/", "/api/about", "/nowhere", "/static/app.js"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
    scripts = next(part for part in POLICY.split("; ") if part.startswith("script-src"))
    assert scripts == "script-src 'self'"
    assert "<script>" not in client.get("/").text and "style=" not in client.get("/").text


def test_another_host_and_another_page_are_refused(client):
    assert client.get("/api/about", headers={"host": "evil.example"}).status_code == 403
    elsewhere = client.post("/api/caesar", json={"text": "abc"}, headers={"origin": "http://evil.example"})
    assert elsewhere.status_code == 403 and "own pages" in elsewhere.json()["error"]
    own = client.post(
        "/api/caesar", json={"text": "abc"}, headers={"origin": str(client.base_url).rstrip("/")}
    )
    assert own.status_code == 200


def test_beyond_this_machine_a_token_is_asked_for(visit):
    with visit(create_app(Settings(token="sesame", hosts=()))) as client:
        refused = client.get("/api/about")
        assert refused.status_code == 403 and "token" in refused.json()["error"]
        assert client.get("/?token=wrong").status_code == 403
        assert client.get("/api/about", headers={"authorization": "Bearer sesame"}).status_code == 200
        door = client.get("/?token=sesame")
        assert door.status_code == 200 and "HttpOnly" in door.headers["set-cookie"]
        assert "sesame" not in door.text
        assert client.get("/api/about").status_code == 200  # the cookie is kept


def test_the_interface_is_documented(client):
    described = client.get("/openapi.json").json()["paths"]
    assert {"/api/caesar", "/api/two/train", "/api/surface", "/api/read", "/api/own/fit"} <= set(described)
    calls = [call for path in described.values() for call in path.values()]
    assert all(call.get("description") for call in calls)
