"""Files: exact round trips; damaged, oversized, newer and foreign files, each refused by its own sentence."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventris.errors import DataTypeError, FileFormatError
from ventris.label_model.model import NgramModel
from ventris.label_model.state import lm_from_state, lm_to_state
from ventris.storage.persistence import load_state, save_state


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.ventris"
    save_state(path, {"coef": np.arange(6.0).reshape(2, 3), "codes": np.array([3, 1])}, {"gamma": 0.1})
    return path


def _with_header(path, change):
    """Rewrite a file with its safetensors header changed, bytes of the arrays untouched."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])


def test_arrays_and_header_come_back_exactly(tmp_path):
    arrays = {
        "f4": np.array([[0.1, np.pi]], np.float32),
        "f8": np.array([np.nextafter(1, 2)]),
        "i8": np.array([-(2**62)]),
        "b": np.array([True, False]),
        "empty": np.zeros((0, 3)),
        "turned": np.arange(6.0).reshape(2, 3).T,
    }
    header = {"big": 2**127 + 1, "tiny": 5e-324, "third": 1 / 3, "names": ["ä", "λ"], "nested": {"x": None}}
    save_state(tmp_path / "a", arrays, header)
    loaded, again = load_state(tmp_path / "a")
    assert again == header and loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name], array)
        assert loaded[name].dtype == array.dtype


def test_another_library_can_read_it(file):
    from safetensors import safe_open

    with safe_open(file, framework="np") as opened:
        np.testing.assert_array_equal(opened.get_tensor("codes"), [3, 1])
        assert opened.metadata()["format"] == "ventris-model"


def test_every_cut_and_every_changed_byte_is_refused(file):
    whole = file.read_bytes()
    for n in range(0, len(whole), 3):
        file.write_bytes(whole[:n])
        with pytest.raises(FileFormatError):
            load_state(file)
        file.write_bytes(whole[:n] + bytes([whole[n] ^ 0x55]) + whole[n + 1 :])
        with pytest.raises(FileFormatError):
            load_state(file)


@given(st.binary(max_size=300))
def test_no_bytes_whatever_do_anything_but_raise_our_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("junk") / "x"
    path.write_bytes(content)
    with pytest.raises(FileFormatError):
        load_state(path)


def test_a_header_that_claims_a_trillion_weights_is_refused_before_any_memory_is_taken(file):
    def claim(header):
        header["coef"] = {"dtype": "F64", "shape": [10**6, 10**6], "data_offsets": [0, 8 * 10**12]}

    _with_header(file, claim)
    with pytest.raises(FileFormatError, match="claim 8,000,000,000,016 bytes and 64 are there"):
        load_state(file)


def test_a_shape_that_does_not_fit_its_bytes_is_refused(file):
    _with_header(file, lambda header: header["coef"].update(shape=[10**12]))
    with pytest.raises(FileFormatError, match="'coef' does not fit its own description"):
        load_state(file)


def test_a_header_length_beyond_the_file_is_refused(tmp_path):
    (tmp_path / "x").write_bytes((2**62).to_bytes(8, "little") + b"{}")
    with pytest.raises(FileFormatError, match="cannot hold its header"):
        load_state(tmp_path / "x")


def test_a_future_version_says_to_upgrade(file):
    _with_header(file, lambda header: header["__metadata__"].update(version="2"))
    with pytest.raises(FileFormatError, match=r"up to 1.*has version 2\. Install a newer Ventris"):
        load_state(file)


def test_a_foreign_safetensors_file_a_pickle_and_a_missing_file(tmp_path):
    import pickle

    from safetensors.numpy import save_file

    save_file({"x": np.zeros(2)}, tmp_path / "foreign")
    with pytest.raises(FileFormatError, match="written by something else"):
        load_state(tmp_path / "foreign")
    (tmp_path / "pickled").write_bytes(pickle.dumps({"coef": [1, 2]}))
    with pytest.raises(FileFormatError, match="cut short or of another kind"):
        load_state(tmp_path / "pickled")
    with pytest.raises(FileFormatError, match="no such file"):
        load_state(tmp_path / "missing")
    with pytest.raises(FileFormatError, match="it is a folder"):
        load_state(tmp_path)


def test_changed_weights_fail_the_checksum(file):
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(FileFormatError, match="does not match its checksum"):
        load_state(file)


def test_force_and_failure_leave_the_old_file(file):
    with pytest.raises(FileFormatError, match="must not exist yet"):
        save_state(file, {"x": np.zeros(1)}, {}, force=False)
    with pytest.raises(TypeError):
        save_state(file, {"x": np.zeros(1)}, {"not": object()})
    assert load_state(file)[1] == {"gamma": 0.1} and list(file.parent.iterdir()) == [file]


# ----------------------------------------------------------------------------------------- label models

MODELS = {
    "chain": NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]], classes=["rain", "sun"]),
    "joint": NgramModel.from_probabilities(
        [[[1 / 6, 1 / 12], [1 / 12, 1 / 6]], [[1 / 12, 1 / 6], [1 / 6, 1 / 12]]]
    ),
    "unigram": NgramModel.from_probabilities([0.2, 0.3, 0.5], classes=[1.5, 2.5, -0.25]),
    "counted": NgramModel.from_text("the cat sat on the mat and the rat ran", order=3),
    "kneser-ney": NgramModel.from_sequences([[3, 1, 2, 1, 3, 3, 1]] * 2, order=2, smoothing="kneser-ney"),
    "additive": NgramModel.from_sequences([[0, 1, 1, 0]], order=2, smoothing="additive", pseudo_count=0.1),
}


@pytest.mark.parametrize("name", MODELS)
def test_label_models_come_back_exactly(name, tmp_path):
    lm = MODELS[name]
    save_state(tmp_path / "lm", *lm_to_state(lm))
    again = lm_from_state(*load_state(tmp_path / "lm"))
    assert again.classes == lm.classes and [type(c) for c in again.classes] == [type(c) for c in lm.classes]
    for order in range(1, lm.order + 2):
        np.testing.assert_array_equal(again.joint(order), lm.joint(order))
        np.testing.assert_array_equal(again.conditional(order), lm.conditional(order))
    for lag in (1, 2, 3, 6):
        np.testing.assert_array_equal(again.pair(lag), lm.pair(lag))


def test_classes_that_json_cannot_hold_are_refused():
    lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.4, 0.6]], classes=[Fraction(1, 2), Fraction(3, 4)])
    with pytest.raises(DataTypeError, match=r"Fraction\(1, 2\) is a Fraction"):
        lm_to_state(lm)
