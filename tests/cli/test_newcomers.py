"""What newcomers do on the command line: other columns, other separators, -, matrices, formats, questions."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest

import ventris as vt
from ventris.readers import read_data, read_label_model

pd = pytest.importorskip("pandas")
DAYS = vt.datasets.make_weather(600, n_test=200)
QUICK = ["--n-init", "4", "--n-fits", "1", "--quiet"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a table as people have it, and a matrix with names."""
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(DAYS.train.X, columns=["temperature", "pressure", "humidity"])
    table.insert(0, "year", np.repeat(["2001", "2002"], 300))
    table["Target"] = [DAYS.lm.classes.index(day) for day in DAYS.train.y]
    table["day"] = DAYS.train.y
    table.to_csv("days.csv", index=False)
    DAYS.lm.to_dataframe().to_csv("P.csv")
    return tmp_path


def fit(ventris, *more, data="days.csv"):
    return ventris("fit", data, "--lm", "P.csv", "-o", "days.ventris", *QUICK, "--force", *more)


def test_columns_by_name_and_a_matrix_as_label_model(home, ventris):
    done = fit(ventris, "--sequence", "year", "--label", "day", "--columns", "temperature,pressure,humidity")
    assert done.code == 0, done.err
    clf = vt.load("days.ventris")
    assert clf.n_features_in_ == 3 and clf.classes_.tolist() == list(DAYS.lm.classes)
    assert clf.report_.n_sequences == 2
    done = ventris("evaluate", "days.ventris", "days.csv", "--label", "day", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["alone"]["error_rate"] < 0.2


@pytest.mark.parametrize("name", ["Label", "target", "Class", "y", "LABELS"])
def test_a_numeric_column_of_labels_is_never_silently_a_feature(home, ventris, name):
    """Only `label`, spelt so, was left out: `Label`, `y`, `target` and `class` were learnt from."""
    table = pd.read_csv("days.csv").drop(columns=["day", "year"]).rename(columns={"Target": name})
    table.to_csv("named.csv", index=False)
    done = fit(ventris, data="named.csv")
    assert done.code == 0, done.err
    assert f"without the column '{name}'" in done.err
    assert vt.load("days.ventris").n_features_in_ == 3
    assert f"without the column '{name}'" in str(vt.load("days.ventris").report_)
    asked = fit(ventris, "--columns", f"humidity,{name}", data="named.csv")
    assert asked.code == 0 and vt.load("days.ventris").n_features_in_ == 2


def test_y_beside_x_is_a_coordinate_and_said_so(tmp_path):
    (tmp_path / "points.csv").write_text("x,y\n1,2\n3,4\n")
    read = read_data(tmp_path / "points.csv")
    assert read.schema.columns == ("x", "y") and "'y' as a feature" in read.sequences.notes[0]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a;b\n1,5;2\n3,25;4\n", [[1.5, 2], [3.25, 4]]),
        ("1,5;2,5\n3,25;4,0\n", [[1.5, 2.5], [3.25, 4]]),
        ("a\tb\n1,5\t2\n3,25\t4\n", [[1.5, 2], [3.25, 4]]),
        ("a|b\n1.5|2\n3.25|4\n", [[1.5, 2], [3.25, 4]]),
        ("a\n1,5\n3,25\n", [[1.5], [3.25]]),
        ("a,b\n1.5,2\n3.25,4\n", [[1.5, 2], [3.25, 4]]),
        ('"a;1","b"\n1.5,2\n3.25,4\n', [[1.5, 2], [3.25, 4]]),
    ],
)
def test_separators_and_decimal_commas_are_recognised(tmp_path, text, shown):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert read_data(path).sequences.data.tolist() == shown


def test_separators_can_be_named(home, ventris):
    pd.read_csv("days.csv").drop(columns=["day", "Target"]).to_csv("odd.txt.csv", index=False, sep=":")
    done = fit(ventris, "--separator", ":", "--sequence", "year", data="odd.txt.csv")
    assert done.code == 0, done.err
    wrong = fit(ventris, "--separator", "ab", data="odd.txt.csv")
    assert wrong.code == 2 and "must be one character" in wrong.err


def test_wide_tables_take_time_in_proportion(tmp_path):
    """Looking up each of D names among D took the square of them."""
    wide = 40_000
    path = tmp_path / "wide.csv"
    rows = [",".join(f"c{k}" for k in range(wide))] + [",".join(["1.5"] * wide)] * 2
    path.write_text("\n".join(rows) + "\n")
    assert read_data(path).sequences.data.shape == (2, wide)


def test_a_column_that_is_not_there_is_named(home, ventris):
    done = fit(ventris, "--sequence", "month")
    assert done.code == 1 and "the column 'month' that --sequence names" in done.err


# ------------------------------------------------------------------------------------ standard input


def piped(monkeypatch, content: bytes):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))


def test_a_label_model_and_a_model_from_standard_input(home, ventris, monkeypatch):
    DAYS.lm.to_arpa("days.arpa")
    piped(monkeypatch, (home / "days.arpa").read_bytes())
    done = ventris("fit", "days.csv", "--lm", "-", "-o", "days.ventris", "--columns", "temperature,humidity",
                   *QUICK)  # fmt: skip
    assert done.code == 0, done.err
    piped(monkeypatch, (home / "days.ventris").read_bytes())
    done = ventris("predict", "-", "days.csv")
    assert done.code == 0 and len(done.out.splitlines()) == 601, done.err
    piped(monkeypatch, (home / "days.ventris").read_bytes())
    assert ventris("inspect", "-").code == 0


@pytest.mark.parametrize("name", ["m.csv", "semicolon.csv", "edges.csv", "nested.json", "tabs.tsv", "m.arpa"])
def test_a_matrix_from_standard_input_is_no_text_of_labels(home, ventris, monkeypatch, name):
    """Its cells were counted as words; --lm took an ARPA file only."""
    lm = vt.NgramModel.from_transition_matrix([[0.9, 0.1], [0.5, 0.5]], classes="ab")
    lm.to_arpa("m.arpa")
    content = MODELS.get(name, (home / "m.arpa").read_text())
    if name == "tabs.tsv":
        content = MODELS["m.csv"].replace(",", "\t")
    piped(monkeypatch, content.encode())
    done = ventris("lm", "build", "-", "-o", "built.arpa", "--force")
    assert done.code == 0, done.err
    built = read_label_model("built.arpa")
    piped(monkeypatch, content.encode())
    for read in (built, read_label_model("-")):
        assert read.classes == ("a", "b")
        np.testing.assert_allclose(read.conditional(2), lm.conditional(2), atol=1e-4)


@pytest.mark.parametrize(
    "text", ["a b a b\nb a b\n", "1,5 2,5 1,5\n2,5 1,5 2,5\n", "a\tb\ta\nb\ta\tb\n", "ab"]
)
def test_a_text_from_standard_input_is_still_one(home, ventris, monkeypatch, text):
    piped(monkeypatch, (text * 3).encode())
    done = ventris("lm", "build", "-", "-o", "built.arpa", "--order", "2", "--json")
    words = set((text * 3).split())
    if len(words) > 1:
        assert done.code == 0 and len(read_label_model("built.arpa").classes) == len(words), done.err
    else:
        assert done.code == 1 and "at least two" in done.err


def test_arrays_from_standard_input(home, ventris, monkeypatch):
    np.save("X.npy", DAYS.train.X)
    piped(monkeypatch, (home / "X.npy").read_bytes())
    done = ventris("fit", "-", "--lm", "P.csv", "-o", "days.ventris", *QUICK)
    assert done.code == 0, done.err
    piped(monkeypatch, "\n".join(DAYS.train.y).encode())
    done = ventris("evaluate", "days.ventris", "X.npy", "--labels", "-", "--json")
    assert done.code == 0 and json.loads(done.out), done.err


def test_two_inputs_cannot_both_be_standard_input(home, ventris):
    done = ventris("fit", "-", "--lm", "-", "-o", "x.ventris")
    assert done.code == 2 and "- was given for data and lm" in done.err


# ----------------------------------------------------------------------------------- what comes out


@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
@pytest.mark.parametrize("named", ["by ending", "by option"])
def test_labels_in_every_format(home, ventris, form, named):
    pytest.importorskip("pyarrow")
    assert fit(ventris, "--sequence", "year", "--columns", "temperature,humidity").code == 0
    out = f"labels.{form}" if named == "by ending" else "labels"
    more = [] if named == "by ending" else ["--format", form]
    done = ventris("decode", "days.ventris", "days.csv", "--proba", "-o", out, *more)
    assert done.code == 0, done.err
    clf = vt.load("days.ventris")
    parts = [x for _, x in pd.read_csv("days.csv").groupby("year")[["temperature", "humidity"]]]
    expected = np.concatenate(clf.decode([part.to_numpy() for part in parts]))
    if form == "json":
        found = json.loads((home / out).read_text())
        assert [entry["sequence"] for entry in found["sequences"]] == ["2001", "2002"]
        assert [label for entry in found["sequences"] for label in entry["labels"]] == expected.tolist()
        return
    table = pd.read_csv(out) if form == "csv" else pd.read_parquet(out)
    assert table["label"].tolist() == expected.tolist()
    assert table["sequence"].astype(str).tolist() == ["2001"] * 300 + ["2002"] * 300
    assert table[[f"p_{day}" for day in DAYS.lm.classes]].sum(axis=1).to_numpy() == pytest.approx(1, abs=1e-4)


def test_parquet_to_standard_output_is_refused(home, ventris):
    assert fit(ventris, "--columns", "temperature").code == 0
    done = ventris("predict", "days.ventris", "days.csv", "--format", "parquet")
    assert done.code == 2 and "A parquet file needs a name" in done.err


def test_a_report_as_a_page(home, ventris):
    assert fit(ventris, "--columns", "temperature,humidity").code == 0
    done = ventris("inspect", "days.ventris", "--html", "report.html")
    assert done.code == 0, done.err
    page = (home / "report.html").read_text(encoding="utf-8")
    assert "Ventris report" in page and "<svg" in page and "sunny" in page
    assert "http" not in page.replace("http://www.w3.org", "")  # names of SVG itself
    assert ventris("inspect", "days.ventris", "--html", "report.html").code == 1


def test_an_onnx_file(home, ventris):
    pytest.importorskip("onnx", reason="onnx is not installed")
    assert fit(ventris, "--columns", "temperature,humidity").code == 0
    done = ventris("export", "days.ventris", "-o", "days.onnx")
    assert done.code == 0, done.err
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    table = pd.read_csv("days.csv")[["temperature", "humidity"]].to_numpy(np.float32)
    labels, _ = runtime.InferenceSession("days.onnx").run(None, {"X": table})
    assert np.mean(labels == vt.load("days.ventris").predict(table.astype(float))) > 0.99


# -------------------------------------------------------------------------------------- label models


MODELS = {
    "m.csv": ",a,b\na,0.9,0.1\nb,0.5,0.5\n",
    "semicolon.csv": ";b;a\na;0,1;0,9\nb;0,5;0,5\n",
    "edges.csv": "from,to,p\na,a,0.9\na,b,0.1\nb,a,0.5\nb,b,0.5\n",
    "nested.json": '{"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.5, "b": 0.5}}',
    "named.json": '{"classes": ["a", "b"], "transitions": [[0.9, 0.1], [0.5, 0.5]]}',
    "rounded.csv": ",a,b\na,0.900,0.0999\nb,0.5,0.5\n",
}


@pytest.mark.parametrize("name", MODELS)
def test_label_models_from_what_people_have(tmp_path, ventris, name):
    path = tmp_path / name
    path.write_text(MODELS[name])
    out = tmp_path / "built.arpa"
    done = ventris("lm", "build", str(path), "-o", str(out))
    assert done.code == 0, done.err
    for lm in (read_label_model(path), read_label_model(out)):
        assert lm.classes == ("a", "b")
        np.testing.assert_allclose(lm.conditional(2), [[0.9, 0.1], [0.5, 0.5]], atol=1e-4)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("counts.csv", ",a,b\na,90,10\nb,5,5\n"),
        ("counts.json", '{"a a": 90, "a b": 10, "b a": 5, "b b": 5}'),
        ("edges.csv", "from,to,n\na,a,90\na,b,10\nb,a,5\nb,b,5\n"),
    ],
)
def test_counts_in_files_are_smoothed(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    by_hand = vt.NgramModel.from_counts(np.array([[90, 10], [5, 5]]), classes="ab")
    np.testing.assert_allclose(read_label_model(tmp_path / name).joint(2), by_hand.joint(2), rtol=1e-9)


def test_a_file_of_two_edges_only(tmp_path):
    """It was taken for a matrix of two labels, and refused."""
    (tmp_path / "edges.csv").write_text("from,to,p\na,b,1\nb,a,1\n")
    np.testing.assert_array_equal(read_label_model(tmp_path / "edges.csv").conditional(2), [[0, 1], [1, 0]])


def test_a_graph_file(tmp_path, ventris):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    rooms = nx.path_graph(["hall", "kitchen", "garden"])
    nx.write_graphml(rooms, tmp_path / "rooms.graphml")
    done = ventris("lm", "build", str(tmp_path / "rooms.graphml"), "-o", str(tmp_path / "rooms.arpa"),
                   "--stay", "0.5")  # fmt: skip
    assert done.code == 0, done.err
    lm = read_label_model(tmp_path / "rooms.arpa")
    assert lm.to_dataframe().loc["kitchen", "hall"] == pytest.approx(0.25, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("m.csv", ",a,b\na,0.9,0.1\nc,0.5,0.5\n", "must have the same names"),
        (
            "m.csv",
            ",a,b\na,0.9,0.5\nb,0.5,0.5\n",
            "must hold probabilities, each row summing",
        ),
        ("m.csv", ",a,b\na,0.9,x\nb,0.5,0.5\n", "one cell holds 'x'"),
        ("m.json", "{", "must be JSON"),
        ("m.json", "[]", "square|axes|least"),
        ("m.json", '{"a": "b"}', "must hold a label model"),
        ("m.json", '{"a": {"b": true}}', "must hold numbers"),
        ("m.graphml", "<graph", "must be a graph that networkx reads"),
        ("m.txt", "a b a b", "first run: ventris lm build"),
    ],
)
def test_label_models_that_are_none_are_refused_with_a_sentence(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(vt.errors.VentrisError, match=says):
        read_label_model(tmp_path / name)


# ---------------------------------------------------------------------------------------- ventris new


def test_four_questions_and_the_settings_work(home, ventris, monkeypatch):
    pd.read_csv("days.csv").drop(columns=["Target", "day"]).to_csv("points.csv", index=False)
    (home / "labels.txt").write_text(" ".join(DAYS.train.y) + "\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("points.csv\nlabels.txt\nyear\nreader.ventris\n"))
    done = ventris("new")
    assert done.code == 0, done.err
    assert done.err.count("?") == 4 and "ventris fit --config ventris.toml" in done.out
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for command in (["lm", "build"], ["doctor"], ["fit", *QUICK], ["decode"]):
        done = ventris(*command, "--config", "ventris.toml")
        assert done.code == 0, (command, done.err)
    assert vt.load("reader.ventris").report_.n_sequences == 2
    assert done.out.splitlines()[0] == "sequence,label,p_cloudy,p_rainy,p_sunny"


def test_nobody_there_means_the_defaults(home, ventris, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert ventris("new").code == 0
    assert 'data = "points.csv"' in (home / "ventris.toml").read_text(encoding="utf-8")
    assert ventris("new").code == 1  # it is there already
    assert sys.stdin is not None
