"""How the noise of the glyph tasks was set: supervised error at several levels, on a seed never reported.

`python -m bench.tuning` prints it.
"""

from __future__ import annotations

from bench.reference import supervised_reference
from bench.tasks import glyphs_mixed_fonts, glyphs_one_font

TUNING_SEED = 999
LEVELS = {glyphs_one_font: (0.20, 0.25, 0.27, 0.30), glyphs_mixed_fonts: (0.10, 0.15, 0.20)}


def main() -> None:
    """Print one line per task and noise level."""
    for make, levels in LEVELS.items():
        for noise in levels:
            found = supervised_reference(make(TUNING_SEED, noise))
            print(
                f"{make.__name__:20} noise {noise:.2f}  error {100 * found.error_rate:5.2f} %  "
                f"decoded {100 * found.decoded_error:5.2f} %  l2 {found.l2:g}  "
                f"fit {found.cpu_seconds:.1f} CPU-s of {found.total_cpu_seconds:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
