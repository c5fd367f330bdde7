"""Docs that cannot drift: imports follow the map, cited equations exist, named tests exist."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from ventris import SequenceClassifier
from ventris.datasets import make_paper_chain

ROOT = Path(__file__).parent.parent
SOURCE, TESTS, METHOD = ROOT / "src" / "ventris", ROOT / "tests", ROOT / "docs" / "method"


# ---------------------------------------------------------------- the map


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def map_rows() -> dict[str, str]:
    """Row → description, top to bottom; a row is a file or a folder of `src/ventris`."""
    fenced = re.search(r"```map\n(.*?)```", (METHOD / "architecture.md").read_text(encoding="utf-8"), re.S)
    rows = re.findall(r"^(\S+(?:\.py|/)) +(.+)$", fenced[1], re.M)
    assert len(dict(rows)) == len(rows), "a row is there twice"
    return dict(rows)


def row_of(module: str) -> str | None:
    """The row a module belongs to: its own, or its folder's."""
    inside = MODULES[module].relative_to(SOURCE)
    own = f"{inside.parts[0]}/" if len(inside.parts) > 1 else inside.name
    return own if own in map_rows() else None


def type_checking_only(tree: ast.Module) -> set[ast.AST]:
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    return {inner for block in blocks for statement in block.body for inner in ast.walk(statement)}


@cache
def imports_of(module: str) -> frozenset[str]:
    """Modules of Ventris that a module imports, at its top or inside a function."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    ignored, found = type_checking_only(tree), set()
    for node in ast.walk(tree):
        if node in ignored:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are written out in full"
            # `from ventris.label_model import arpa` imports a module; other names live in the one named.
            full = (f"{node.module}.{alias.name}" for alias in node.names)
            found |= {name if name in MODULES else node.module for name in full}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(name for name in found if name in MODULES and name != module)


def test_the_reader_of_imports_sees_what_it_should(tmp_path, monkeypatch):
    """Or the tests below would pass on an empty graph."""
    path = tmp_path / "probe.py"
    path.write_text(
        "from typing import TYPE_CHECKING\nimport ventris.errors\nfrom ventris.label_model import arpa\n"
        "if TYPE_CHECKING:\n    import ventris.classifier\n"
        "def f():\n    from ventris.label_model.markov import stationary_distribution\n"
    )
    monkeypatch.setitem(MODULES, "probe", path)
    assert imports_of("probe") == {"ventris.errors", "ventris.label_model.arpa", "ventris.label_model.markov"}


def test_every_module_is_on_the_map():
    assert [module for module in MODULES if row_of(module) is None] == []


def test_every_row_is_a_module_or_marked_as_to_come():
    missing = set(map_rows()) - {row_of(module) for module in MODULES}
    assert missing == {row for row, text in map_rows().items() if text.startswith("(to come)")}


def points_up(importer: str, imported: str) -> bool:
    rows, own, other = list(map_rows()), row_of(importer), row_of(imported)
    return rows.index(other) < rows.index(own) or (other == own and own.endswith("/"))


def test_imports_point_only_up_the_map():
    mapped = [module for module in MODULES if row_of(module)]
    edges = {(module, i) for module in mapped for i in imports_of(module) if row_of(i)}
    assert len(edges) > 100
    assert {edge for edge in edges if not points_up(*edge)} == set()


def test_the_root_holds_a_dozen_modules_at_most():
    assert len(list(SOURCE.glob("*.py"))) <= 12


def test_no_imports_go_in_circles():
    list(TopologicalSorter({module: imports_of(module) for module in MODULES}).static_order())


def test_kernels_import_nothing_but_kernels():
    outside = {m: imports_of(m) for m in MODULES if m.startswith("ventris.kernels")}
    assert {i for found in outside.values() for i in found if not i.startswith("ventris.kernels")} == set()


def test_only_classifiers_ask_which_learner_it_is():
    """Everyone else asks for a capability."""
    asking = re.compile(r"isinstance\([^()]*?\b\w*Learner\b")
    outside = [m for m in MODULES if not m.startswith("ventris.classifiers")]
    assert [m for m in outside if asking.search(MODULES[m].read_text(encoding="utf-8"))] == []


# ---------------------------------------------------------------- one fit, followed


@pytest.fixture(scope="module")
def followed():
    """Files that a default fit enters, and from which to which: as a reader would have to turn pages.

    What belongs to the first fit in a process, or to the first with a label model, is done before.
    """
    chain = make_paper_chain(2, n_samples=12_000, random_state=0)
    SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
    clf, files, edges = SequenceClassifier(chain.lm, random_state=0), set(), set()

    def home(frame):
        while frame is not None and not frame.f_code.co_filename.startswith(str(SOURCE)):
            frame = frame.f_back
        return None if frame is None else Path(frame.f_code.co_filename).relative_to(SOURCE).as_posix()

    def note(frame, event, argument):
        if event != "call" or not frame.f_code.co_filename.startswith(str(SOURCE)):
            return
        here, caller = home(frame), home(frame.f_back)
        files.add(here)
        if caller not in (None, here):
            edges.add((caller, here))

    sys.setprofile(note)
    try:
        clf.fit(chain.train.X)
    finally:
        sys.setprofile(None)
    return files, edges


def test_a_fit_can_be_followed(followed):
    """A fit also asks for names, whether the label model is right, and how far to trust itself.

    Without these it entered 30 files by 60 ways; they are a third of the walk in docs/method/architecture.md.
    Clusters of the inputs are one file more, and two ways to it.
    """
    files, edges = followed
    assert 20 < len(files) <= 51 and 40 < len(edges) <= 112


def test_a_fit_calls_only_up_the_map(followed):
    """Nothing calls a later folder; the way back is a callback, and here nobody watches."""
    rows = list(map_rows())
    place = {name: rows.index(f"{name.split('/')[0]}/" if "/" in name else name) for name in followed[0]}
    assert {(caller, here) for caller, here in followed[1] if place[here] > place[caller]} == set()


def test_the_walk_in_the_document_names_files_that_are_entered(followed):
    text = (METHOD / "architecture.md").read_text(encoding="utf-8").split("## One fit")[1].split("\n## ")[0]
    named = {name for name in re.findall(r"`(\w+/\w+\.py)`", text) if (SOURCE / name).exists()}
    elsewhere = {
        "classifiers/penalty.py",  # not for two labels
        "classifiers/base.py",
        "data/contradictions.py",  # only where labels are known
        "diagnostics/contradicted.py",
        "diagnostics/hard_to_tell.py",  # before a fit
        "label_model/renamings.py",
    }
    assert len(named) > 12 and named - followed[0] <= elsewhere


# ---------------------------------------------------------------- equations


def cited(text: str) -> set[str]:
    """Ids in brackets: (E6), (E1, E5) and (E1–E3), which means all three."""
    ids = set()
    for group in re.findall(r"\((E\d+(?:(?:, |–)E\d+)*)\)", text):
        for part in group.split(", "):
            first, *last = (int(number) for number in re.findall(r"\d+", part))
            ids |= {f"E{n}" for n in range(first, (last or [first])[0] + 1)}
    return ids


@cache
def citations(folder: Path) -> dict[str, set[str]]:
    """Id → files that cite it."""
    files: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        if path != Path(__file__):
            for equation in cited(path.read_text(encoding="utf-8")):
                files.setdefault(equation, set()).add(path.name)
    return files


def derived() -> list[str]:
    """Ids that have a heading of their own in docs/method/maths.md."""
    return re.findall(r"^### \((E\d+)\)", (METHOD / "maths.md").read_text(encoding="utf-8"), re.M)


def test_ids_are_read_singly_in_lists_and_in_ranges():
    assert cited("(E2) and (E4, E9) and (E5–E7), not E8 nor (Equ)") == {"E2", "E4", "E9", "E5", "E6", "E7"}


def test_the_maths_derives_each_equation_once_and_in_order():
    assert derived() == [f"E{n}" for n in range(1, 14)]


@pytest.mark.parametrize("folder", [SOURCE, TESTS], ids=["source", "tests"])
def test_every_cited_equation_is_derived(folder):
    unknown = {equation: files for equation, files in citations(folder).items() if equation not in derived()}
    assert unknown == {}


def test_every_equation_has_code():
    assert {equation for equation in derived() if equation not in citations(SOURCE)} == set()


def test_every_equation_has_a_test():
    assert {equation for equation in derived() if equation not in citations(TESTS)} == set()


# ---------------------------------------------------------------- errata


def test_every_test_named_in_the_errata_exists_and_every_errata_test_is_named():
    named = re.findall(r"`(test_\w+)`", (METHOD / "errata.md").read_text(encoding="utf-8"))
    tree = ast.parse((TESTS / "test_errata.py").read_text(encoding="utf-8"))
    written = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]
    assert sorted(named) == sorted(written)


def test_documents_link_to_files_that_exist():
    for path in METHOD.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
        for name in re.findall(r"`((?:tests|src|docs)/[\w./]+\.\w+)`", text):
            assert (ROOT / name).exists(), f"{path.name} names {name}"
