"""`ventris reproduce --quick`: the page's tables are the files', it opens alone, and its surfaces turn."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest

from ventris.cli import run
from ventris.cli.reproduce import BarWatcher, LineWatcher
from ventris.paper.results import chosen_results, units_of
from ventris.paper.run import _Work
from ventris.paper.settings import Settings
from ventris.paper.units import Unit

pytestmark = pytest.mark.slow  # one run for all, of some 45 s of CPU
# All results with a table or a surface, and one drawn on a map; the other figures have tests of their own.
ONLY = ("caesar", "snippets", "plane", "landscapes", "hyper-parameters", "unigram", "bigram", "computation",
        "audit", "paths")  # fmt: skip
EYE = "place => Object.values(place._fullLayout.scene._scene.getCamera().eye)"  # where one looks from
TABLES = ("table1", "table2", "table3", "table4", "audit", "limits")


class Run(NamedTuple):
    """One quick run, killed and gone on with; the tests look at what it left instead of running more."""

    folder: Path
    there: set[str]  # units that the killed process had left
    had_a_page: bool  # when it was killed
    said: dict  # what the second process told on standard output
    progress: str


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    """kill −9 after the first unit, then two processes to the end."""
    folder = tmp_path_factory.mktemp("paper") / "Paper ☃"
    command = [sys.executable, "-m", "ventris", "reproduce", "--quick", "--out", str(folder), "--json"]
    rest = ["--only", *ONLY]
    process = subprocess.Popen(
        [*command, "--n-jobs", "1", *rest], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 600
    while not list((folder / "data").glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    there = {file.stem for file in (folder / "data").glob("*.json")}
    had_a_page = (folder / "index.html").exists()
    done = subprocess.run([*command, "--n-jobs", "2", *rest], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return Run(folder, there, had_a_page, json.loads(done.stdout), done.stderr)


@pytest.fixture
def paper(quick_run):
    """The folder of the run."""
    return quick_run.folder


class Tables(HTMLParser):
    """Headings and cells of every table of a page, by the id of its figure."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[list[str]]] = {}
        self.name, self.text = "", None

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "figure" and given.get("class", "").startswith("table"):
            self.name = given["id"]
            self.found[self.name] = []
        elif tag == "tr":
            self.found[self.name].append([])
        elif tag in ("td", "th"):
            self.text = ""

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.found[self.name][-1].append(self.text)
            self.text = None


def tables_of(folder):
    parser = Tables()
    parser.feed((folder / "index.html").read_text(encoding="utf-8"))
    return parser.found


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_page_holds_the_numbers_of_its_file(paper, name):
    shown = tables_of(paper)[name]
    kept = json.loads((paper / "tables" / f"{name}.json").read_text(encoding="utf-8"))
    assert len(shown) == 1 + len(kept["rows"])
    assert len(shown[0]) == len(kept["columns"])
    for cells, row in zip(shown[1:], kept["rows"], strict=True):
        for cell, value, column in zip(cells, row, kept["columns"], strict=True):
            check_cell(cell, value, column["digits"])


def check_cell(cell, value, digits):
    if value is None:
        assert cell == "–"
    elif isinstance(value, str):
        plain = re.sub(r"_\{([^}]*)\}|_", r"\1", value).removeprefix("ventris.")
        assert cell.replace("_", "") == plain.replace("_", "")
    else:
        number = float(cell.replace("−", "-").replace(",", ""))
        assert number == pytest.approx(value, abs=0.51 * 10.0 ** -(9 if digits is None else digits))


def test_every_result_left_its_files(paper):
    for name in TABLES:
        assert (paper / "tables" / f"{name}.csv").stat().st_size > 50
    for k in range(1, 8):
        assert (paper / "figures" / f"figure{k}.png").read_bytes()[:4] == b"\x89PNG"
        assert "<svg" in (paper / "figures" / f"figure{k}.svg").read_text(encoding="utf-8")
    environment = json.loads((paper / "environment.json").read_text(encoding="utf-8"))
    assert environment["packages"]["numpy"] and environment["seeds"] == [0]
    assert environment["settings"]["updates"] == 400_000
    assert set(environment["cpu_seconds"]) >= {"faithful-1", "chain-10", "audit", "snippets"}


def test_the_default_learns_all_ten_chains_within_half_a_point(paper):
    rows = json.loads((paper / "tables" / "table3.json").read_text(encoding="utf-8"))["rows"]
    names = [c["name"] for c in json.loads((paper / "tables" / "table3.json").read_text())["columns"]]
    gaps = [row[names.index("its gap, mean")] for row in rows[:10]]
    assert max(gaps) < 0.5


def test_the_text_has_its_numbers_and_the_code_its_output(paper):
    page = (paper / "index.html").read_text(encoding="utf-8")
    story = page[page.index("<main>") : page.index("</main>")]
    story = re.sub(r'src="data:[^"]*"', "", story)
    assert re.findall(r"\{[a-z_]+\}", re.sub(r"<pre.*?</pre>", "", story, flags=re.S)) == []
    assert "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG 23" in story
    for anchor in ("cipher", "points", "unigrams", "saddle", "bigrams", "ours", "computation", "misprints"):
        assert f'<h2 id="{anchor}">' in story
    assert "A shortened run" in page
    tutorial = (paper / "tutorial.md").read_text(encoding="utf-8")
    for name in re.findall(r"\]\(figures/([\w-]+\.png)\)", tutorial):
        assert (paper / "figures" / name).exists()


def test_a_second_run_computes_nothing_and_the_page_keeps_what_was_there(paper, tmp_path, capfd):
    """A folder that holds the audit alone gets a result more, and then has both."""
    (tmp_path / "data").mkdir()
    shutil.copy(paper / "data" / "audit.json", tmp_path / "data")
    tokens = ["reproduce", "--quick", "--out", str(tmp_path), "--n-jobs", "1", "--quiet", "--json", "--only"]
    found = []
    for names in (["computation"], ["audit", "computation"]):
        capfd.readouterr()
        assert run([*tokens, *names]) == 0
        found.append(json.loads(capfd.readouterr().out))
    assert [each["computed"] for each in found] == [["computation"], []]
    assert found[1]["reused"] == ["audit", "computation"]
    assert tables_of(tmp_path).keys() == {"table1", "table4", "audit", "limits"}


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_the_page_opens_alone_and_fits(paper, watched_page, look):
    size = {"width": 390, "height": 844} if look == "phone" else {"width": 1200, "height": 900}
    page = watched_page(viewport=size, color_scheme="dark" if look == "dark" else "light")
    page.goto((paper / "index.html").as_uri())
    assert page.title().startswith("From Caesar")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    ink = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ink)[:3])) < 200) == (look == "dark")
    broken = "Array.from(document.images).filter(i => !i.complete || !i.naturalWidth).length"
    assert page.evaluate(broken) == 0
    links = page.eval_on_selector_all("a[href^='#']", "all => all.map(a => a.hash.slice(1))")
    assert [name for name in links if page.locator(f"[id='{name}']").count() != 1] == []
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert [found["id"] for found in axe.run(page).response["violations"]] == []


def test_a_surface_turns_when_it_is_dragged(paper, watched_page):
    page = watched_page(viewport={"width": 1200, "height": 900})
    page.goto((paper / "index.html").as_uri())
    page.locator('[data-scene="figure4"]').scroll_into_view_if_needed()
    page.wait_for_selector('[data-scene="figure4"][data-drawn]')
    place = page.locator('[data-scene="figure4"]')
    before = place.evaluate(EYE)
    box = place.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 160, middle[1] + 30, steps=8)
    page.mouse.up()
    page.wait_for_timeout(300)
    after = place.evaluate(EYE)
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) > 0.1


def test_a_killed_run_goes_on_where_it_was(quick_run):
    """What the killed process left is not computed again."""
    assert quick_run.there and not quick_run.had_a_page
    assert set(quick_run.said["reused"]) == quick_run.there
    units = {unit.name for unit in units_of(chosen_results(ONLY), Settings.quick())}
    assert set(quick_run.said["computed"]) == units - quick_run.there
    assert (quick_run.folder / "index.html").exists()


def test_two_processes_give_what_one_gives(quick_run, tmp_path, capfd):
    """Of the units that the two computed, two in one process once more, told in words."""
    names = ["caesar", "computation"]
    assert not quick_run.there & set(names) and "all 100%" in quick_run.progress
    assert run(["reproduce", "--quick", "--out", str(tmp_path), "--n-jobs", "1", "--only", *names]) == 0
    out, err = capfd.readouterr()
    assert "2 units computed" in out and "all 100%" in err
    for name in names:
        one, two = (
            json.loads((folder / "data" / f"{name}.json").read_text(encoding="utf-8"))["result"]
            for folder in (tmp_path, quick_run.folder)
        )
        assert one == two


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_shows_units_under_way_and_the_whole(terminal, capfd):
    from rich.console import Console
    from rich.progress import Progress

    text = io.StringIO()
    bars = Progress(console=Console(file=text, force_terminal=True, width=100), auto_refresh=False)
    watcher = BarWatcher(bars) if terminal else LineWatcher()
    units = [Unit("short", dict), Unit("long", dict, weight=3.0)]
    work = _Work(units, [*units, Unit("there", dict, weight=4.0)], watcher)
    for unit, share in (("long", 0.0), ("long", 0.5), ("short", 1.0)):
        work.tell(unit, share)
    work.stage("figures")
    if terminal:
        bars.refresh()
        bars.start()
        bars.stop()
        whole, long, short = bars.tasks
        assert whole.completed == pytest.approx((4 + 1.5 + 1) / 8)
        assert (long.completed, long.visible, short.visible) == (0.5, True, False)
        assert "long" in text.getvalue() and "figures" in text.getvalue()
    else:
        shown = capfd.readouterr().err
        assert "2 units to compute" in shown and "short 100%, all 81%" in shown


def test_a_name_that_is_no_result_is_refused_with_the_list(tmp_path, capfd):
    assert run(["reproduce", "--quick", "--out", str(tmp_path), "--only", "table7"]) == 2
    assert "hyper-parameters" in capfd.readouterr().err
