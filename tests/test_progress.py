"""Progress: silent by default, lines where there is no terminal, a bar where there is one."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys

from ventris.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def _run(progress):
    with progress:
        progress.begin("restarts", total=3)
        progress.advance(excess_cost=0.5)
        progress.note(0.25)
        progress.advance(excess_cost=0.75)
        progress.advance()


def test_silent_without_verbose(capsys):
    _run(Progress(0))
    assert capsys.readouterr() == ("", "")


def test_lines_on_standard_error_when_it_is_no_terminal(capsys):
    _run(Progress(1))
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines() == ["restarts: begun", "restarts: 3 of 3, best J − H 0.25"]


def test_a_line_now_and_then_tells_the_time_left(monkeypatch):
    clock = iter(range(0, 1000, 6))
    monkeypatch.setattr("ventris.progress.time.monotonic", lambda: float(next(clock)))
    file = io.StringIO()
    _run(Progress(1, file))
    assert "restarts: 1 of 3, best J − H 0.5, " in file.getvalue() and " left" in file.getvalue()


def test_a_bar_on_a_terminal():
    file = Terminal()
    _run(Progress(1, file))
    assert "restarts" in file.getvalue() and "3/3" in file.getvalue() and "0.25" in file.getvalue()


def test_a_second_step_begins_anew():
    file = io.StringIO()
    progress = Progress(1, file)
    _run(progress)
    progress.begin("polish", total=1)
    progress.advance(excess_cost=2.0)
    assert file.getvalue().splitlines()[-1] == "polish: 1 of 1, best J − H 2"


def test_rich_is_not_imported_before_it_is_needed():
    code = "import sys, ventris.progress as p; p.Progress(0).begin('x', 1); sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_bar_is_full_at_the_end_and_not_after_an_error():
    """Parts that proved needless left the last bar short of its end."""
    for fails, shown in ((False, "1/1"), (True, "1/3")):
        file = Terminal()
        with contextlib.suppress(ValueError), Progress(1, file) as progress:
            progress.begin("route", total=3)
            progress.advance()
            if fails:
                raise ValueError
        assert re.findall(r"\d/\d", file.getvalue())[-1] == shown
