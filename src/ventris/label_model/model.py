"""`NgramModel`: how labels follow one another, the only thing Ventris is told about them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import objective
from ventris.data.alphabet import Alphabet
from ventris.data.counts import N_LAGS
from ventris.data.ngrams import (
    DENSE_CELLS,
    NgramCounts,
    NgramTable,
    check_counts,
    check_dense,
    check_pairs,
    encode_text,
)
from ventris.errors import (
    DataTypeError,
    FileFormatError,
    LanguageModelError,
    NonStationaryWarning,
    ParameterError,
)
from ventris.kernels import counting
from ventris.label_model import arpa, defaults
from ventris.label_model.backoff import arpa_orders, conditional_from_arpa
from ventris.label_model.counting import check_pseudo_count, counted, label_lists, sorted_labels
from ventris.label_model.foreign import hmmlearn_transitions, kenlm_conditional
from ventris.label_model.frames import model_as_frame
from ventris.label_model.given_counts import counts_of
from ventris.label_model.markov import (
    check_numbers,
    check_transition_matrix,
    random_walk,
    stationary_distribution,
)
from ventris.label_model.named_tables import in_order, named_table
from ventris.label_model.smoothing import Smoothing, check_method
from ventris.label_model.statistics import (
    CountedStatistics,
    LabelStatistics,
    MarkovStatistics,
    conditional_of,
)

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.figure import Figure

    from ventris.label_model.durations import Durations

_NOT_STATIONARY = 0.05  # of the probability; the ends of a short text and smoothing stay below
_INT_COMMENT = "ventris: the labels are whole numbers"


class NgramModel:
    """A stationary n-gram model of label sequences.

    Build one with a ``from_…`` method. Tables have one axis a label, oldest first, in the order of `classes`;
    all probabilities are natural, never logarithms.

    Parameters
    ----------
    alphabet : Alphabet
        The labels.
    statistics : LabelStatistics
        Their n-grams, in whatever form a ``from_…`` method made them.

    Attributes
    ----------
    classes : tuple
        The labels, in the order of every table's axes.
    n_classes : int
        C, how many there are.
    order : int
        N, the number of labels in the longest n-gram it knows.
    durations : Durations or None
        How long labels last, where that was told (`lasting`).

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
    >>> lm.classes, lm.order
    ((0, 1), 2)
    >>> lm.stationary().round(3)
    array([0.692, 0.308])
    >>> lm.joint(2).round(4)
    array([[0.4154, 0.2769],
           [0.2769, 0.0308]])
    """

    def __init__(self, alphabet: Alphabet, statistics: LabelStatistics) -> None:
        self.alphabet = alphabet
        self.statistics = statistics
        self.classes: tuple[Any, ...] = alphabet.classes  # the labels, in the order of every table's axes
        self.n_classes = len(alphabet)  # C
        self.order = statistics.order  # N, the number of labels in the longest n-gram the model knows
        # How long labels last, where that was told; None where a stay may end at any step alike.
        self.durations: Durations | None = getattr(statistics, "durations", None)
        self._cache: dict[tuple[str, int], NDArray] = {}

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_transition_matrix(cls, matrix: Any, *, classes: Iterable[Any] | None = None) -> NgramModel:
        """A bigram model from ``P(i, j) = p(y_t = j | y_{t−1} = i)``.

        Parameters
        ----------
        matrix : array of shape (C, C), data frame, or dictionary of dictionaries
            Of a data frame the names are kept; rows and columns are matched by name, or refused.
        classes : iterable, optional
            The labels, in the order of the rows; of a table with names, which of them comes first.

        Raises
        ------
        LanguageModelError
            If the matrix is not square, not stochastic or not irreducible, or if its rows and columns have
            different names.

        Examples
        --------
        >>> lm = NgramModel.from_transition_matrix({"a": {"b": 1}, "b": {"a": 0.5, "b": 0.5}})
        >>> lm.classes, lm.stationary().round(3)
        (('a', 'b'), array([0.333, 0.667]))
        """
        values, names = named_table(matrix, "A transition matrix")
        table, labels = in_order(values, names, classes)
        P = check_transition_matrix(table)
        return cls(_alphabet(labels, len(P)), MarkovStatistics(P, stationary_distribution(P)))

    @classmethod
    def from_probabilities(
        cls, probabilities: ArrayLike, *, classes: Iterable[Any] | None = None
    ) -> NgramModel:
        """A model from the joint of N successive labels.

        Parameters
        ----------
        probabilities : array of shape (C,) * N
            Sums to 1; the oldest label is the first axis.
        classes : iterable, optional
            The labels, in the order of the axes; 0, 1, … by default.

        Warns
        -----
        NonStationaryWarning
            If the first N − 1 labels are distributed otherwise than the last N − 1.

        Examples
        --------
        >>> NgramModel.from_probabilities([0.692, 0.308]).entropy(1).__round__(4)
        0.6175
        """
        joint = check_numbers(probabilities, "A joint")
        if joint.ndim == 0 or len(set(joint.shape)) != 1:
            raise LanguageModelError(
                "A joint of N labels has N axes of one length", f"its shape is {joint.shape}", "Reshape it"
            )
        if abs(joint.sum() - 1) > 1e-6:
            raise LanguageModelError(
                "A joint must sum to 1",
                f"it sums to {joint.sum():.6g}",
                "Divide it by its sum; for conditionals use from_transition_matrix",
            )
        joint = joint / joint.sum()
        _doubt_stationarity(joint)
        statistics = MarkovStatistics(conditional_of(joint), joint.sum(axis=-1))
        return cls(_alphabet(classes, joint.shape[0]), statistics)

    @classmethod
    def from_sequences(
        cls,
        label_sequences: Sequence[Any],
        order: int = defaults.ORDER,
        *,
        classes: Iterable[Any] | None = None,
        smoothing: Smoothing = "witten-bell",
        pseudo_count: float = 1.0,
        max_lag: int = N_LAGS,
    ) -> NgramModel:
        """A model counted from label sequences.

        Parameters
        ----------
        label_sequences : list of sequences of labels
            Or one flat sequence of labels.
        order : int, default 3
            N, the number of labels in an n-gram.
        classes : iterable, optional
            The labels and their order; by default those that occur, sorted.
        smoothing : {"witten-bell", "kneser-ney", "additive"}
            How probability is kept for n-grams that were not seen.
        pseudo_count : float, default 1
            What additive smoothing adds to each count.
        max_lag : int, default 4
            Pairs of labels up to this far apart are counted for `pair`.

        Examples
        --------
        >>> lm = NgramModel.from_sequences([["a", "b", "a"], ["b", "a", "b"]], order=2)
        >>> lm.conditional(2).round(3)
        array([[0.167, 0.833],
               [0.833, 0.167]])
        """
        parts = label_lists(label_sequences)
        alphabet = Alphabet(sorted_labels(parts) if classes is None else classes)
        codes = np.concatenate([alphabet.encode(part) for part in parts])
        lengths = np.array([len(part) for part in parts])
        statistics = counted(codes, lengths, len(alphabet), order, smoothing, pseudo_count, max_lag)
        return cls(alphabet, statistics)

    @classmethod
    def from_text(
        cls,
        text: str,
        order: int = defaults.ORDER,
        *,
        alphabet: str | None = None,
        lower: bool = False,
        smoothing: Smoothing = "witten-bell",
        pseudo_count: float = 1.0,
        max_lag: int = N_LAGS,
    ) -> NgramModel:
        """A model whose labels are the characters of a text.

        Parameters
        ----------
        text : str
        order : int, default 3
            N, the number of characters in an n-gram.
        alphabet : str, optional
            The labels. Other characters are breaks: no n-gram runs across them. Without, every character
            that occurs is a label.
        lower : bool, default False
            Whether to turn the text to lower case first.
        smoothing, pseudo_count, max_lag : as in `from_sequences`

        Examples
        --------
        >>> lm = NgramModel.from_text("abracadabra", order=2)
        >>> "".join(lm.classes)
        'abcdr'
        """
        if not isinstance(text, str):
            raise DataTypeError("text must be a str", f"it is {type(text).__name__}", "Decode it first")
        if lower:
            text = text.lower()
        letters = Alphabet(alphabet if alphabet is not None else sorted(set(text)))
        codes = encode_text(text, "".join(letters.classes))
        if not np.any(codes >= 0):
            raise LanguageModelError(
                f"The text must hold some of the alphabet {''.join(letters.classes)!r}",
                f"none of its {len(text)} characters does",
                "Check the alphabet, its case (lower=True) and the encoding of the text",
            )
        lengths = np.array([len(codes)])
        return cls(letters, counted(codes, lengths, len(letters), order, smoothing, pseudo_count, max_lag))

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        *,
        classes: Iterable[Any] | None = None,
        pairs: Mapping[int, NDArray] | None = None,
        smoothing: Smoothing = "witten-bell",
        pseudo_count: float = 1.0,
    ) -> NgramModel:
        """A model from counts of n-grams.

        Parameters
        ----------
        counts : mapping, data frame, array of shape (C,) * N, or sequence of NgramCounts
            ``{("a", "b"): 12, …}`` or ``{"ab": 12, …}``, how often each n-gram occurred; a table of how often
            row is followed by column, its names kept; or counts of orders 1 … N.
        classes : iterable, optional
            The labels and their order; by default a table's names, or the labels that occur, sorted.
        pairs : mapping of lag to array of shape (C, C), optional
            How often labels occurred so far apart, lags 2 and more.
        smoothing, pseudo_count :
            As in `from_sequences`.

        Examples
        --------
        >>> lm = NgramModel.from_counts({"ab": 30, "ba": 20, "aa": 50}, smoothing="additive")
        >>> lm.order, lm.conditional(2).round(2).tolist()
        (2, [[0.62, 0.38], [0.95, 0.05]])
        """
        check_method(smoothing)
        check_pseudo_count(pseudo_count)
        if isinstance(counts, list | tuple) and all(isinstance(table, NgramCounts) for table in counts):
            given, alphabet = list(counts), Alphabet(() if classes is None else classes)
        else:
            given, alphabet = counts_of(counts, classes)
        check_counts(given, len(alphabet))
        for lag, table in (pairs or {}).items():
            check_pairs(table, lag, len(alphabet))
        return cls(alphabet, CountedStatistics(given, pairs or {}, smoothing, pseudo_count))

    @classmethod
    def from_graph(
        cls,
        graph: nx.Graph | Any,
        *,
        stay: float = 0.0,
        visits: ArrayLike | None = None,
        classes: Iterable[Any] | None = None,
    ) -> NgramModel:
        """A random walk on a graph: stay with probability `stay`, else follow an edge chosen by its weight.

        Parameters
        ----------
        graph : networkx graph, adjacency matrix of shape (C, C), or data frame of such
        stay : float in [0, 1), default 0
            Probability of the same label again.
        visits : array of shape (C,), optional
            How often each label is to come, in the order of `classes`, where that is known; the same label
            then comes again at least as often as `stay` says. Without, it follows from the edges.
        classes : iterable, optional
            The labels, in the order of the rows; by default the nodes' names, or 0, 1, ….

        Examples
        --------
        >>> ring = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
        >>> NgramModel.from_graph(ring, stay=0.5).conditional(2)[0]
        array([0.5 , 0.25, 0.  , 0.25])
        """
        if hasattr(graph, "nodes"):
            import networkx as nx

            classes = list(graph.nodes) if classes is None else classes
            graph = nx.to_numpy_array(graph)
        values, names = named_table(graph, "An adjacency matrix")
        adjacency, labels = in_order(values, names, classes)
        return cls.from_transition_matrix(random_walk(adjacency, stay, visits), classes=labels)

    def lasting(
        self,
        *,
        min_dwell: int | Sequence[int] | Mapping[Any, int] | None = None,
        durations: Mapping[Any, ArrayLike] | Sequence[ArrayLike] | None = None,
    ) -> NgramModel:
        """The same labels with stays of another length: at least so long, or as a histogram says.

        A stay of an ordinary model may end at every step with the same probability. Scores, decoding and
        training then walk the durations exactly; statistics of pairs follow them.

        Parameters
        ----------
        min_dwell : int, or one for each label, optional
            Steps that a stay lasts at least; after them it ends as before.
        durations : dictionary of label to sequence, or a sequence a label, optional
            How often a stay lasts 1, 2, 3, … steps, as counts or probabilities.

        Examples
        --------
        >>> machine = NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]], classes=["off", "on"])
        >>> machine.lasting(min_dwell=5).conditional(2).round(3)
        array([[0.833, 0.167],
               [0.167, 0.833]])
        >>> machine.lasting(durations={"off": [0, 0, 1], "on": [1, 1]}).durations.mean()
        array([3. , 1.5])
        """
        from ventris.label_model.durations import DurationStatistics, durations_of

        if self.order != 2 or self.durations is not None:
            raise LanguageModelError(
                "Durations are given to a model of pairs without any",
                f"this one has order {self.order}" if self.order != 2 else "this one has durations",
                "Begin with from_transition_matrix or from_graph",
            )
        told = durations_of(self.conditional(2), self.classes, min_dwell, durations)
        return type(self)(self.alphabet, DurationStatistics(told))

    @classmethod
    def from_hmmlearn(cls, model: Any, *, classes: Iterable[Any] | None = None) -> NgramModel:
        """A bigram model from the transitions of an hmmlearn model, fitted or given by hand.

        Parameters
        ----------
        model : hmmlearn model
            Any with `transmat_`: GaussianHMM, CategoricalHMM, ….
        classes : iterable, optional
            What its states are called, in their order; 0, 1, … by default.

        Examples
        --------
        >>> from hmmlearn.hmm import CategoricalHMM
        >>> casino = CategoricalHMM(2)
        >>> casino.transmat_ = [[0.95, 0.05], [0.1, 0.9]]
        >>> NgramModel.from_hmmlearn(casino, classes=["fair", "loaded"]).stationary().round(3)
        array([0.667, 0.333])
        """
        return cls.from_transition_matrix(hmmlearn_transitions(model), classes=classes)

    @classmethod
    def from_kenlm(cls, path: str | os.PathLike[str], *, classes: Iterable[Any]) -> NgramModel:
        """A model from a KenLM binary, where the package `kenlm` is installed.

        Parameters
        ----------
        path : path
        classes : iterable
            The labels. A binary does not tell its words, so they must be given; what it gives to
            ``</s>``, ``<unk>`` and other words is shared out among them in proportion.

        See Also
        --------
        from_arpa : for ARPA files, which list their words.
        """
        alphabet = Alphabet(classes)
        tokens = [arpa.token_of(label) for label in alphabet.classes]
        return cls(alphabet, MarkovStatistics(kenlm_conditional(path, tokens)))

    @classmethod
    def from_arpa(cls, path: str | os.PathLike[str], *, classes: Iterable[Any] | None = None) -> NgramModel:
        """A model from an ARPA file; ``<s>``, ``</s>`` and ``<unk>`` are left out, the rest made to sum to 1.

        Parameters
        ----------
        path : path
        classes : iterable, optional
            The labels to keep and their order; by default the file's, in its order.
        """
        orders, comment = arpa.read_arpa(path)
        tokens = [gram[0] for gram in orders[0].grams if gram[0] not in arpa.SPECIAL]
        if classes is None:
            classes = [arpa.label_of(token) for token in tokens]
            if comment == _INT_COMMENT:
                classes = _whole_numbers(classes, path)
        alphabet = Alphabet(classes)
        return cls(alphabet, MarkovStatistics(conditional_from_arpa(orders, alphabet)))

    def to_arpa(self, path: str | os.PathLike[str], *, force: bool = True) -> None:
        """Write the model as an ARPA file, conditionals with back-off, so that other tools can read it.

        Parameters
        ----------
        path : path
        force : bool, default True
            Whether an existing file may be replaced.
        """
        if self.durations is not None:
            raise LanguageModelError(
                "An ARPA file holds n-grams alone",
                "this label model has durations, which they cannot express",
                'Keep it as JSON: {"classes": […], "transitions": [[…], …], "min_dwell": 5}',
            )
        whole = all(type(label) is int for label in self.classes)  # True and False are no numbers here
        arpa.write_arpa(
            path,
            arpa_orders(self.statistics, self.alphabet),
            comment=_INT_COMMENT if whole else "",
            force=force,
        )

    # ------------------------------------------------------------------ what it knows

    def joint(self, order: int | None = None) -> NDArray:
        """P(y₁ … y_k), shape (C,) * k.

        Parameters
        ----------
        order : int, optional
            k; by default the model's. Beyond that it is extended by the Markov property.
        """
        k = self._check_order(order)
        if k > self.order:
            return self._cached(
                "joint", k, lambda: self.joint(k - 1)[..., None] * self.conditional(self.order)
            )
        return self._cached("joint", k, lambda: self.statistics.joint(k))

    def conditional(self, order: int | None = None) -> NDArray:
        """P(y_k | y₁ … y_{k−1}), shape (C,) * k: for k = 2 the transition matrix.

        Parameters
        ----------
        order : int, optional
            k; by default the model's.
        """
        k = self._check_order(order)
        if k > self.order:  # the added, older labels change nothing
            shape = (self.n_classes,) * k
            return np.broadcast_to(self.conditional(self.order), shape)
        return self._cached("conditional", k, lambda: self.statistics.conditional(k))

    def stationary(self) -> NDArray:
        """Long-run probability of each label, shape (C,)."""
        return self.joint(1)

    def entropy(self, order: int | None = None) -> float:
        """Entropy of the joint in nats: the least cost J a classifier can reach.

        Parameters
        ----------
        order : int, optional
            Of the n-grams; by default the model's.
        """
        return objective.entropy(self.joint(order))

    def pair(self, lag: int) -> NDArray:
        """P(y_t, y_{t+lag}), shape (C, C): counted where it was counted, else propagated along the chain.

        Parameters
        ----------
        lag : int
            How far apart the two labels are; 1 for neighbours.

        Examples
        --------
        >>> flip = NgramModel.from_transition_matrix([[0.0, 1.0], [1.0, 0.0]])
        >>> flip.pair(2)
        array([[0.5, 0. ],
               [0. , 0.5]])
        """
        if not isinstance(lag, int | np.integer) or lag < 1:
            raise ParameterError("lag must be at least 1", f"it is {lag!r}", "Give a positive whole number")
        return self._cached("pair", lag, lambda: self._pair(lag))

    def _pair(self, lag: int) -> NDArray:
        counted = self.statistics.pair(lag)
        return self._propagate(lag) if counted is None else counted

    def _propagate(self, lag: int) -> NDArray:
        """Carry (first label, recent history) forward one label at a time, then forget the history."""
        order = max(2, min(self.order, 3))  # a longer history would cost C**(order + 1) cells
        if lag < max(order, self.order):  # the n-grams themselves hold both labels
            return self.joint(lag + 1).sum(axis=tuple(range(1, lag)))
        conditional = self.conditional(order)
        joint = self.joint(order)  # axis 0 the first label, the others the history
        for _ in range(lag - order + 1):
            joint = np.sum(joint[..., None] * conditional[None], axis=1)
        return joint.sum(axis=tuple(range(1, order - 1)))

    def table(self, order: int | None = None, top: int | None = None) -> NgramTable:
        """The most probable n-grams, and the mass they leave out.

        Where the dense table would be too large, the n-grams seen and their relative frequencies are used.

        Parameters
        ----------
        order : int, optional
            Of the n-grams; by default the model's.
        top : int, optional
            How many at most.
        """
        k = self.order if order is None else order
        counted = self.statistics
        if self.n_classes**k > DENSE_CELLS and isinstance(counted, CountedStatistics) and k <= self.order:
            return _table_of_counts(counted.counts[k - 1], top)
        return NgramTable.from_dense(self.joint(k), top)

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> NDArray:
        """A label sequence, as class numbers (``lm.alphabet.decode`` names them).

        Parameters
        ----------
        n : int
            Its length.
        random_state : int, Generator or None

        Examples
        --------
        >>> NgramModel.from_transition_matrix([[0.0, 1.0], [1.0, 0.0]]).sample(5, random_state=0)
        array([1, 0, 1, 0, 1])
        """
        if not isinstance(n, int | np.integer) or n < 0:
            raise ParameterError(
                "The number of samples must be whole and not negative", f"it is {n!r}", "Give 1000"
            )
        rng = np.random.default_rng(random_state)
        if self.durations is not None:
            return self.durations.sample(int(n), rng)
        history = max(self.order - 1, 0)
        start = self.joint(history).ravel().cumsum() if history else np.ones(1)
        context = int(np.searchsorted(start, rng.random() * start[-1], side="right"))
        context = min(context, len(start) - 1)
        cumulative = self.conditional().reshape(-1, self.n_classes).cumsum(axis=1)
        out = np.empty(n, dtype=np.int64)
        # The history drawn is itself the beginning of the sequence.
        digits = context // self.n_classes ** np.arange(history - 1, -1, -1) % self.n_classes
        out[:history] = digits[:n]
        if n > history:
            counting.draw_labels(cumulative, context, self.n_classes, rng.random(n - history), out[history:])
        return out

    # ------------------------------------------------------------------ to look at

    def to_dataframe(self, order: int | None = None) -> pd.DataFrame:
        """p(label | labels before it) by name: one row a history, one column a label. Needs pandas.

        Parameters
        ----------
        order : int, optional
            2 by default: what follows each label. 1 gives the frequencies.

        Examples
        --------
        >>> NgramModel.from_transition_matrix([[0.9, 0.1], [0.5, 0.5]]).to_dataframe().loc[0, 1]
        np.float64(0.1)
        """
        return model_as_frame(self, order)

    def plot(self, kind: str = "matrix", *, top: int | None = None) -> Figure:
        """Draw what follows what: a heat map, or a graph with arrows. Needs matplotlib.

        Parameters
        ----------
        kind : {"matrix", "graph"}
        top : int, optional
            How many of the commonest labels to show; by default at most 60, or 24 in a graph.

        Examples
        --------
        >>> figure = NgramModel.from_transition_matrix([[0.9, 0.1], [0.5, 0.5]]).plot()
        """
        from ventris.label_model.drawing import draw_model

        return draw_model(self, kind, top=top)

    # ------------------------------------------------------------------ plumbing

    def _check_order(self, order: int | None) -> int:
        k = self.order if order is None else order
        if not isinstance(k, int | np.integer) or k < 1:
            raise ParameterError("order must be a positive whole number", f"it is {k!r}", "Give 1, 2, 3, …")
        if ("joint", int(k)) not in self._cache:
            check_dense(self.n_classes, int(k))
        return int(k)

    def _cached(self, kind: str, key: int, compute: Any) -> NDArray:
        if (kind, key) not in self._cache:
            table = compute()
            table.setflags(write=False)  # the cache is shared with the caller
            self._cache[kind, key] = table
        return self._cache[kind, key]

    def __deepcopy__(self, memo: dict[int, Any]) -> NgramModel:
        return self  # immutable: scikit-learn's clone() need not copy the tables

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_cache": {}}

    def _repr_html_(self) -> str:
        from ventris.label_model.showing import model_as_html

        return model_as_html(self)

    def __repr__(self) -> str:
        return f"NgramModel(order={self.order}, n_classes={self.n_classes})"


def _doubt_stationarity(joint: NDArray) -> None:
    """Warn where the first N − 1 labels differ in distribution from the last: no long run looks like that.

    It is a doubt and no error, because windows cut from many short sequences are like that.
    """
    if joint.ndim < 2:
        return
    apart = float(np.abs(joint.sum(axis=-1) - joint.sum(axis=0)).sum()) / 2
    if apart > _NOT_STATIONARY:
        warnings.warn(
            NonStationaryWarning(
                "A joint of successive labels should be stationary, but what comes first and what comes last "
                f"in it differ by {100 * apart:.0f} % of the probability"
            ),
            stacklevel=3,
        )


def _alphabet(classes: Iterable[Any] | None, n_classes: int) -> Alphabet:
    alphabet = Alphabet(range(n_classes) if classes is None else classes)
    if len(alphabet) != n_classes:
        raise LanguageModelError(
            f"A table of {n_classes} classes needs as many names",
            f"classes has {len(alphabet)}",
            "Give one name a row",
        )
    return alphabet


def _whole_numbers(labels: list[str], path: str | os.PathLike[str]) -> list[int]:
    try:
        return [int(label) for label in labels]
    except ValueError as problem:
        raise FileFormatError(
            f"{path} must hold whole numbers as labels, as its comment says",
            f"one is not ({problem})",
            "Correct the label, or remove the comment",
        ) from None


def _table_of_counts(counts: NgramCounts, top: int | None) -> NgramTable:
    first = np.argsort(-counts.counts, kind="stable")[:top]
    prob = counts.counts[first] / counts.total
    return NgramTable(counts.grams()[first], prob, float(prob.sum()))
