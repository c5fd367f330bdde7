"""The command line: each command parses, calls the library and shows; the mathematics is elsewhere.

A command's module imports the library inside its functions only, so that `ventris --help` stays fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from cyclopts import App, CycloptsError

import ventris
from ventris.cli.bench import bench
from ventris.cli.correct import correct
from ventris.cli.decipher import decipher, encipher
from ventris.cli.decode import decode
from ventris.cli.demo import demo
from ventris.cli.doctor import doctor
from ventris.cli.evaluate import evaluate
from ventris.cli.export import export
from ventris.cli.fit import fit
from ventris.cli.inspect import inspect
from ventris.cli.lm import build, show
from ventris.cli.new import new
from ventris.cli.options import from_config_file
from ventris.cli.output import doubts_as_lines, say
from ventris.cli.predict import predict
from ventris.cli.reproduce import reproduce
from ventris.cli.serve import serve
from ventris.errors import ParameterError, VentrisError

DONE, FAILED, WRONG_USE, STOPPED = 0, 1, 2, 130

app = App(
    name="ventris",
    help="Learn sequence classifiers without labels, from a language model of the labels.",
    version=ventris.__version__,
    config=from_config_file,
    suppress_keyboard_interrupt=False,
)
_COMMANDS: tuple[Callable[..., None], ...] = (
    demo,
    decipher,
    encipher,
    correct,
    new,
    doctor,
    fit,
    predict,
    decode,
    evaluate,
    inspect,
    export,
    reproduce,
    serve,
    bench,
)
for _number, _command in enumerate(_COMMANDS):
    app.command(_command, sort_key=_number)

lm = App(
    name="lm", sort_key=len(_COMMANDS), help="Build and show label models: how labels follow one another."
)
lm.command(build)
lm.command(show)
app.command(lm)
app.register_install_completion_command(help="Install completion for the shell in use, and exit.")


def run(tokens: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong use, 130 stopped by Ctrl-C."""
    try:
        with doubts_as_lines():
            app(tokens, exit_on_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError:  # cyclopts has shown it
        return WRONG_USE
    except VentrisError as error:
        say(error)
        return WRONG_USE if isinstance(error, ParameterError) else FAILED
    except BrokenPipeError:  # whoever read our output has enough of it, as `head` has
        _silence_stdout()
        return FAILED
    except OSError as error:
        say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        _silence_stdout()
        return FAILED
    except MemoryError:
        say("there is not enough memory for this data; give it as a .npy file, which is not read whole")
        return FAILED
    except KeyboardInterrupt:
        say("stopped")
        return STOPPED
    return DONE


def _silence_stdout() -> None:
    """Python flushes standard output once more when it ends, which must not fail a second time."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without ≠ must not end a command
    sys.exit(run(sys.argv[1:]))
