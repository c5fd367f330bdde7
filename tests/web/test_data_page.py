"""Room 5 in a real browser: upload, doctor, fit, download; and a bad file's sentence."""

from __future__ import annotations

import csv
import io
import zipfile

from PIL import Image

import ventris as vt
from ventris.demos.example_files import write_example_files
from ventris.readers import read_data


def test_bad_files_are_refused_and_good_ones_give_labels_and_a_model(room, tmp_path):
    points, _, _, labels = write_example_files(tmp_path, n_samples=3000)
    page = room("data", reduced_motion="reduce", viewport={"width": 1440, "height": 900})
    refused_files(page, tmp_path)
    page.set_input_files("#file-data", points)
    page.wait_for_selector("text=3,000 points in 1 sequence, 4 features")
    page.set_input_files("#file-labels", labels)
    page.wait_for_selector("text=5 labels: clean, cool, idle, warm, work")
    page.click("text=Ask the doctor")
    page.wait_for_selector("text=Nothing speaks against learning")
    page.click("button:text-is('Learn')")
    page.wait_for_selector("text=What was learnt", timeout=60_000)
    told = page.inner_text(".notice.answer")
    remarks = page.locator("p.remark").all_inner_texts()
    with page.expect_download() as download:
        page.click("text=Download labels")
    download.value.save_as(tmp_path / "labels.csv")
    with page.expect_download() as download:
        page.click("text=Download model")
    download.value.save_as(tmp_path / "model.ventris")
    written = (tmp_path / "labels.csv").read_text(encoding="utf-8")
    found = [row["label"] for row in csv.DictReader(written.splitlines())]
    clf = vt.load(tmp_path / "model.ventris")
    assert found == clf.decode(read_data(points).sequences).tolist()
    report = clf.report_
    assert told == f"The answer: {report.in_words()}." and report.estimated_error is not None
    assert remarks == [f"Remark: {message}" for _, message in report.remarks]
    with page.expect_download() as download:
        page.click("text=Download report")
    download.value.save_as(tmp_path / "report.html")
    written = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert report.in_words() in written and "<script" not in written
    titles = page.locator("figure h2").all_inner_texts()
    assert titles[:2] == ["The points, by label and by doubt", "The labels along time"]
    address = page.url
    page.goto("about:blank")
    page.goto(address)  # another tab, or the same after a while: files and result are found again
    page.wait_for_selector("text=What was learnt")
    page.wait_for_selector("text=3,000 points in 1 sequence, 4 features")


def test_columns_are_listed_with_their_roles_and_can_be_chosen(room, until, tmp_path):
    table = tmp_path / "table.csv"
    rows = "".join(f"{k // 50};{k % 7},5;dry;{k % 3},25;up\n" for k in range(200))
    table.write_text("run;heat;weather;noise;label\n" + rows)
    page = room("data", reduced_motion="reduce", color_scheme="dark")
    page.set_input_files("#file-data", table)
    page.wait_for_selector("text=200 points in 1 sequence, 3 features")
    roles = "[...document.querySelectorAll('#columns select')].map((s) => s.value)"
    assert page.evaluate(roles) == ["feature", "feature", "unused", "feature", "label"]
    page.select_option("#columns tr:nth-child(1) select", "sequence")
    page.wait_for_selector("text=200 points in 4 sequences, 2 features")
    page.select_option("#columns tr:nth-child(4) select", "unused")
    page.wait_for_selector("text=200 points in 4 sequences, 1 feature.")
    page.reload()
    page.wait_for_selector("text=200 points in 4 sequences, 1 feature.")
    assert page.evaluate(roles) == ["sequence", "feature", "unused", "unused", "label"]


def test_a_zip_of_images_is_taken_and_the_example_moves_at_once(room, tmp_path):
    pictures = tmp_path / "pictures.zip"
    with zipfile.ZipFile(pictures, "w") as archive:
        for number in range(12):
            file = io.BytesIO()
            Image.new("L", (6, 5), 20 * number).save(file, "PNG")
            archive.writestr(f"line{number // 6}/{number}.png", file.getvalue())
    page = room("data", viewport={"width": 390, "height": 844})
    page.wait_for_selector("#sketch")  # it moves at once
    page.click("button:text-is('Stop')")
    page.set_input_files("#file-data", pictures)
    page.wait_for_selector("text=12 points in 2 sequences, images of 6 × 5 pixels")


def refused_files(page, tmp_path):
    """Each bad file shows its sentence, by the name its owner knows."""
    assert page.is_disabled("text=Ask the doctor")
    bad = tmp_path / "points.csv"
    bad.write_text("x,y\n1,2\n3,four\n")
    page.set_input_files("#file-data", bad)
    page.wait_for_selector("[role=alert] >> text=points.csv line 3, column 'y': a finite number is expected")
    assert str(tmp_path) not in page.inner_text("main")
    strange = tmp_path / "run.exe"
    strange.write_bytes(b"MZ")
    page.set_input_files("#file-labels", strange)
    page.wait_for_selector("[role=alert] >> text=A file must end in one of")
    large = tmp_path / "large.npy"
    large.write_bytes(bytes(3 * 2**20))
    page.set_input_files("#file-data", large)
    page.wait_for_selector("[role=alert] >> text=A file may have 2 megabytes")
