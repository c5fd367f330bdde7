"""What a fitted classifier can be turned into: pictures, an ONNX file, an hmmlearn model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ventris.classifiers.base import Capability, Learner
from ventris.data.sequences import Sequences
from ventris.diagnostics.pictures import Along, draw_fit
from ventris.errors import DataError, ParameterError
from ventris.exports.frames import CONTAINERS, as_frame
from ventris.exports.hmmlearn import categorical_hmm, gaussian_hmm
from ventris.exports.onnx import loglinear_graph, table_graph
from ventris.label_model.model import NgramModel
from ventris.storage.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class TurnedInto:
    """Faces of a fitted classifier; `SequenceClassifier` has them all."""

    if TYPE_CHECKING:
        lm_: NgramModel
        learner_: Learner
        classes_: NDArray
        usage_: NDArray
        dual_: NDArray
        symbolic_: bool

        def _read(self, X: Any, lengths: ArrayLike | None) -> Sequences: ...
        def decode_proba(self, X: Any) -> Any: ...

    def set_output(self, *, transform: str | None = None) -> Self:
        """Have `predict_proba` and `decode_proba` give data frames, one column a class.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            As in scikit-learn; None leaves things as they are.

        Examples
        --------
        >>> import ventris as vt
        >>> days = vt.datasets.make_weather(1000)
        >>> clf = vt.SequenceClassifier(days.lm, random_state=0).set_output(transform="pandas")
        >>> clf.fit(days.train.X).decode_proba(days.test.X).columns.tolist()
        ['sunny', 'cloudy', 'rainy']
        """
        if transform not in (None, *CONTAINERS):
            raise ParameterError(
                f"transform must be one of {', '.join(CONTAINERS)}", f"it is {transform!r}", "Choose one"
            )
        if transform is not None:
            self._output = transform
        return self

    def _contained(self, probabilities: Any, X: Any) -> Any:
        """Probabilities as `set_output` wants them; the rows of a data frame keep their index."""
        kind = getattr(self, "_output", "default")
        if kind == "default":
            return probabilities
        if isinstance(probabilities, list):
            parts = X if isinstance(X, list | tuple) else [None] * len(probabilities)
            return [as_frame(q, self.classes_, kind, x) for q, x in zip(probabilities, parts, strict=True)]
        if isinstance(probabilities, dict):
            return {key: as_frame(q, self.classes_, kind, X[key]) for key, q in probabilities.items()}
        return as_frame(probabilities.reshape(-1, len(self.classes_)), self.classes_, kind, X)

    def plot(
        self,
        X: Any = None,
        *,
        lengths: ArrayLike | None = None,
        y: ArrayLike | None = None,
        n_points: int = 200,
    ) -> Figure:
        """The usual pictures: label usage, pairs found against expected, confidence, a timeline.

        Parameters
        ----------
        X, lengths : as in `fit`, optional
            Data to look along. Without, the first two pictures only, of the data that were fitted.
        y : array of labels, optional
            True labels of X, drawn into the timeline.
        n_points : int, default 200
            Points of the first sequence that the timeline shows.

        Returns
        -------
        matplotlib Figure
            A notebook shows it; ``figure.savefig("fit.png")`` keeps it.

        Examples
        --------
        >>> import ventris as vt
        >>> days = vt.datasets.make_weather(1000)
        >>> clf = vt.SequenceClassifier(days.lm, random_state=0).fit(days.train.X)
        >>> figure = clf.plot(days.test.X, y=days.test.y)
        >>> [axes.get_title(loc="left") for axes in figure.axes]
        ['Label usage', 'Pairs of neighbours', 'Confidence', 'Timeline, in sequence']
        """
        check_is_fitted(self, "learner_")
        along = None if X is None else self._along_points(X, lengths, y, n_points)
        pairs = None
        if self.dual_.ndim == 2:
            found = -1 / self.dual_  # (E5): v* = −1/P̄
            pairs = found / found.sum(), np.asarray(self.lm_.joint(2))
        return draw_fit(self.classes_.tolist(), self.usage_, self.lm_.stationary(), pairs, along)

    def _along_points(self, X: Any, lengths: ArrayLike | None, y: ArrayLike | None, n_points: int) -> Along:
        sequences = self._read(X, lengths)
        truth = None
        if y is not None:
            labels = np.concatenate([np.ravel(part) for part in y]) if isinstance(y, list) else np.ravel(y)
            if len(labels) != sequences.n_points:
                raise DataError(
                    "y must hold one label for each point of X",
                    f"it holds {len(labels)} for {sequences.n_points} points",
                    "Give the labels of this very data",
                )
            truth = self.lm_.alphabet.encode(labels)
        plain = Sequences(sequences.data, sequences.lengths)
        decoded = np.asarray(self.decode_proba(plain))
        shown = min(n_points, int(sequences.lengths[0]))
        return Along(self.learner_.predict_proba(plain.data), decoded, shown, truth)

    def to_onnx(self, path: str | os.PathLike[str], *, dtype: str = "float32", force: bool = True) -> None:
        """Write the classifier of single points as an ONNX file. Needs the package onnx.

        Its input is `X`, rows of features (or symbols, int64); its outputs are `label`, as `predict` gives
        it, and `probabilities`, as `predict_proba` does. What the label model adds in `decode` is not in it.

        Parameters
        ----------
        path : path
        dtype : {"float32", "float64"}
            Of the features.
        force : bool, default True
            Whether an existing file may be replaced.
        """
        check_is_fitted(self, "learner_")
        arrays = self.learner_.get_state()[0] if Capability.STATE in self.learner_.capabilities else {}
        if self.learner_.model is not None:
            graph = loglinear_graph(self.learner_.model, self.classes_, arrays.get("centre"), dtype)
        elif self.symbolic_ and "table" in arrays:
            graph = table_graph(arrays["table"], self.classes_)
        else:
            raise ParameterError(
                "to_onnx writes the log-linear classifier, or a table of symbols",
                f"this one learnt with {type(self.learner_).__name__}",
                "Export the classifier of your own with its own tools, for example skl2onnx",
            )
        with atomic_path(path, force=force) as temporary:
            temporary.write_bytes(graph.SerializeToString())

    def to_hmmlearn(self, X: Any, *, lengths: ArrayLike | None = None) -> Any:
        """The answer as an hmmlearn model, its states in the order of `classes_`. Needs hmmlearn.

        Features become a GaussianHMM by class means and one covariance, symbols a CategoricalHMM by counts;
        both of the points of X as `decode` reads them. Transitions are those of `lm_`, pairs only.

        Parameters
        ----------
        X, lengths : as in `fit`
            The data that were fitted, or more of the kind.

        Examples
        --------
        >>> import ventris as vt
        >>> rolls = vt.datasets.make_casino()
        >>> clf = vt.SequenceClassifier(rolls.lm, random_state=0).fit(rolls.train.X)
        >>> hmm = clf.to_hmmlearn(rolls.train.X)
        >>> hmm.emissionprob_[1].argmax()  # the loaded die shows sixes
        np.int64(5)
        """
        check_is_fitted(self, "learner_")
        sequences = self._read(X, lengths)
        plain = Sequences(sequences.data, sequences.lengths)
        posteriors = np.asarray(self.decode_proba(plain))
        if not self.symbolic_:
            return gaussian_hmm(plain.data, posteriors, self.lm_)
        arrays, _ = self.learner_.get_state()
        n_symbols = max(len(arrays.get("table", ())), int(plain.data.max()) + 1)
        return categorical_hmm(plain.data, posteriors, self.lm_, n_symbols)
