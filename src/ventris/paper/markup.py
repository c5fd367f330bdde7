"""The little Markdown that the story uses, as HTML."""

from __future__ import annotations

import html
import re

_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]]+)\]\(([^)]+)\)"), r'<a href="\2">\1</a>'),
)
_BRACED = re.compile(r"_\{([^}]*)\}")
# A letter that stands alone, or a Greek one, with an index: w_a, p_t, Σ_i, P_LM; not a name like n_jobs.
_INDEXED = re.compile(r"(?<![a-z_.])(max|min|\w̄?)_([A-Za-z0-9θ]+)(?![\w(]*_)")


def inline(text: str) -> str:
    """A paragraph's text as HTML.

    Examples
    --------
    >>> inline("a **b** of `c_d` & w_a")
    'a <strong>b</strong> of <code>c_d</code> &amp; w<sub>a</sub>'
    """
    parts = re.split(r"(`[^`]+`)", html.escape(text, quote=False))
    shown = "".join(part if part.startswith("`") else indexed(part) for part in parts)
    for pattern, replacement in _INLINE:
        shown = pattern.sub(replacement, shown)
    return shown


def indexed(text: str) -> str:
    """Indices after an underscore set low.

    Examples
    --------
    >>> indexed("γp_{t−1}(0) X_tᵀ"), indexed("ventris.objective.optimal_dual")
    ('γp<sub>t−1</sub>(0) X<sub>t</sub>ᵀ', 'ventris.objective.optimal_dual')
    """
    return _INDEXED.sub(r"\1<sub>\2</sub>", _BRACED.sub(r"<sub>\1</sub>", text))
