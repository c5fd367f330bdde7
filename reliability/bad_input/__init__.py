"""Bad input to the library, its files and its commands: each case ends in its documented error."""

from __future__ import annotations

from reliability.bad_input import commands, files, inputs, label_models, parameters

ABOUT = (
    "Wrong types, shapes, values, parameters, label models, files and commands. Each must end in the "
    "error that is documented for it (or, where the input is unusual and sound, in a result), with a "
    "message that says what was expected, what came and what to do; a command in an exit code and a "
    "sentence. Output folders must stay as they were, and NumPy must not have warned of anything."
)
GROUPS = {
    "inputs to fit and predict": inputs.CASES,
    "label models": label_models.CASES,
    "parameters": parameters.CASES,
    "files": files.CASES,
    "command line": commands.CASES,
}
CASES = [case for cases in GROUPS.values() for case in cases]
