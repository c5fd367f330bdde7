"""A kind of cipher is one object: registered, it works everywhere; and the lists are the registry's."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ventris.ciphers import decipher, decipher_with, encipher
from ventris.ciphers.cipher import FewKeys
from ventris.ciphers.kinds import Vigenere
from ventris.ciphers.letter_model import letter_model
from ventris.ciphers.registry import cipher_of, forget, kinds, register
from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.deciphering.key_settings import KeySettings
from ventris.errors import ParameterError

PLAIN = "It is a truth universally acknowledged, that a single man must be in want of a wife."


class Mirror(FewKeys):
    """The first half of the alphabet backwards, then a shift: a table that no kind with few keys has."""

    kind, title = "mirror", "Mirror: half of the alphabet backwards"
    key_hint, example = "a shift, or 0", "0"

    def tables(self, key, alphabet):
        letters = np.arange(len(alphabet))
        half = len(alphabet) // 2
        return (np.r_[letters[:half][::-1], letters[half:]] + key)[None] % len(alphabet)

    def keys(self, alphabet):
        return range(5)

    def _parsed(self, typed):
        return int(typed)

    def draw(self, language, rng):
        return int(rng.integers(5))


@pytest.fixture
def mirror():
    register(Mirror())
    yield
    forget("mirror")


def test_a_registered_kind_is_enciphered_deciphered_and_broken(mirror):
    cipher = encipher(PLAIN, 1, kind="mirror")
    assert cipher.startswith("Fu ft n")
    assert decipher_with(cipher, 1, kind="mirror") == PLAIN
    for kind in ("mirror", "auto"):
        found = decipher(cipher, "en", kind)
        assert (found.plaintext, found.key, found.kind) == (PLAIN, 1, "mirror")
        assert found.confidence > 0.99


def test_a_kind_that_was_forgotten_is_refused():
    assert "mirror" not in kinds()
    with pytest.raises(ParameterError, match="kind must be one of caesar, affine, vigenere"):
        encipher(PLAIN, 1, kind="mirror")


@pytest.mark.parametrize("kind", kinds())
def test_a_drawn_key_can_be_shown_read_and_used(kind):
    cipher = cipher_of(kind)
    key = cipher.parse(cipher.show(cipher.draw("en", np.random.default_rng(7))))
    read = decipher_with(encipher(PLAIN, key, kind=kind), key, kind=kind)
    assert [char for char in read.lower() if char.isalpha()] == [c for c in PLAIN.lower() if c.isalpha()]
    assert cipher.title and cipher.key_hint and cipher.describe(key)


def test_the_command_line_lists_the_kinds_without_loading_them():
    code = (
        "import sys, typing; from importlib import import_module; "
        "door = import_module('ventris.cli.decipher'); "
        "print(*typing.get_args(door.KeyedKind), 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [*kinds(), "False"]


def test_a_cipher_searches_with_the_settings_it_was_given():
    class Impatient(Vigenere):
        kind, settings = "impatient", KeySettings(longest_period=3)

    text, model = encipher(PLAIN, "lemon", kind="vigenere"), letter_model("en", 4, True)
    spelling = Spelling.of(text, alphabet_of("en"))
    rng = np.random.default_rng(0)
    assert Vigenere().break_(spelling, model, rng).best.key == "lemon"
    assert len(Impatient().break_(spelling, model, rng).best.key) <= 3
