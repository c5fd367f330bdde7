"""`SequenceClassifier`: the estimator. It owns the order of the steps, and nothing else."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import _check_feature_names, check_is_fitted
from threadpoolctl import threadpool_limits

from ventris import objective
from ventris.callbacks import Callbacks, Event, checked_callback
from ventris.codes.codebook import MOST_CODES
from ventris.data.known_labels import KnownLabels, read_known_labels
from ventris.data.random_state import generator_of
from ventris.data.sequences import Sequences, named_parts, refuse_lengths_as_labels
from ventris.diagnostics.report import Report, examine
from ventris.diagnostics.signs import Fresh
from ventris.diagnostics.trust import Learnt
from ventris.errors import AmbiguousInputWarning, DataError, LanguageModelError, ParameterError
from ventris.exports.turned_into import TurnedInto
from ventris.inference.score import infer_labels, likeliest_path, sequence_score
from ventris.kernels.softmax import column_means
from ventris.label_model.model import NgramModel
from ventris.label_model.state import lm_to_state
from ventris.model_file import load_classifier, save_classifier
from ventris.progress import Progress
from ventris.route.build import (
    SPDG_PARAMETERS,
    Trained,
    check_alone,
    resume_generator,
    train_by_route,
    train_by_solver,
)
from ventris.solvers import defaults
from ventris.solvers.base import Solver
from ventris.solvers.registry import SPDG
from ventris.storage.checkpoint import Checkpoint, fingerprint
from ventris.storage.folder_lock import hold_folder

Array = NDArray[np.floating]
_SMALL = 1_000_000  # numbers in X up to which threads wait for one another longer than they work


class SequenceClassifier(TurnedInto, BaseEstimator):
    """A classifier of the points of sequences, learnt from unlabelled inputs and a label model.

    Parameters
    ----------
    lm : NgramModel
        How labels follow one another; its `classes` are what the classifier predicts.
    order : int, optional
        Order of the n-grams to use, at most the label model's; by default the label model's for
        ``method="auto"`` and 2 (or less, if the model has less) for the other methods.
    method : {"auto", "full-batch", "spdg"} or solver
        "auto": inputs are read as a cipher (codebook, decipher, distil, refine); works for many classes.
        "full-batch": the cost J over all data by L-BFGS. "spdg": the paper's Algorithm 1. A solver object,
        ``vt.SPDG(primal_lr=…)`` or ``vt.FullBatch(max_iter=…)``, brings all its settings itself, which a grid
        search names ``method__primal_lr``; the parameters below that set a solver must then stay as they are.
    fit_intercept : bool, default True
        The printed model has none, and cannot reach the printed results.
    gamma : float, default 1
        γ, the sharpness of the log-linear model; the paper fixes 10.
    n_init : int, optional
        Number of starts; by default 24 tables for "auto" (12 for up to three labels and beyond 40; an
        annealed map counts for 48) and 8 classifiers for the other methods.
    codebook_size : int, optional
        Number of codes of "auto", at most 4,096, whose pairs fill half a gigabyte; by default it follows the
        data and the classes.
    refine : bool, default True
        Whether "auto" goes on with rounds of label posteriors and refits.
    adapt : {"auto", True, False} or float
        Whether "auto" lets the label model move towards the data: "auto" only where they insist, by at least
        5 nats and 3 standard errors; True always, for transitions that are a mere guess and still tell the
        names; a number, always, as far as so many label pairs would; False never. What they would want is
        asked in any case, for it tells how far to trust the answer.
    n_fits : {2, 1}
        Answers that "auto" looks for independently, from one codebook; the better is kept, and how far they
        agree tells how far to trust it.
    classifier : object or {"mlp", "cnn", "tcn"}, optional
        What "auto" trains, instead of the log-linear model: any scikit-learn classifier with
        `predict_proba`, a network, or an object with ``fit(X, soft_targets, sample_weight=None)``.
        scikit-learn's get soft targets as weighted rows, one for every label that a point may have, if they
        take `sample_weight`; ``ScikitLearner(…, targets=…)`` hardens them or draws labels instead. Networks
        are ``TorchLearner(module)`` or a preset by its name: a perceptron, a reader of small square images,
        one of sensor streams in context.
    features : {"full", "diagonal"}
        "diagonal" ties class c to feature c alone: the paper's two-weight form.
    batch_size, subsequence_length : int
        A minibatch of "spdg" is `batch_size` subsequences of `subsequence_length` points; 10 points hold
        9 bigram windows.
    primal_lr, dual_lr : float
        Rates of "spdg"; the paper's are 1e-6 and 1e-4 with γ = 10.
    dual_form : {"log", "direct"}
        "log" moves ln(−V); "direct" moves V itself, as printed.
    max_iter : int, optional
        Iterations of "full-batch" (default 200) or updates of "spdg" (default 1,000,000).
    tol : float, optional
        When to stop; each method has its own default.
    validation_fraction : float, default 0.1
        The trailing part of the data held out to judge steps ("auto") or to stop early ("spdg").
    checkpoint : path, optional
        Folder that keeps the state of the fit; started again with the same folder, data and parameters, a
        fit that was ended goes on where it was. A folder another fit is at work in is refused.
    checkpoint_every : int, optional
        Updates of "spdg" between two states kept (and two looks at J); the other methods keep one after
        every start or step.
    callbacks : list of objects, optional
        Told what happens during the fit, with the right to stop it: see `ventris.callbacks`.
    n_jobs : int, optional
        Threads; all cores by default.
    random_state : int, Generator or None
    verbose : int, default 0
        1 shows progress.

    Attributes
    ----------
    classes_ : array of shape (C,)
    lm_ : NgramModel
        The label model after adapting, which decoding and scores use; `lm` itself where nothing moved.
    coef_, intercept_ : arrays of shape (C, D) and (C,)
        Of the log-linear model ``softmax(gamma · (coef_ x + intercept_))``.
    dual_ : array of shape (C,) * order
        V at the solution, all negative.
    cost_, excess_cost_ : float
        J and J − H on the training data.
    usage_ : array of shape (C,)
        Mean output on the training data.
    history_ : list of dict
        What each step did, what it cost in seconds and what it was worth.
    report_ : Report
        Diagnostics and doubts; prints as a table. Its method `shuffled_null` asks whether order was learnt.
    n_features_in_ : int
    symbols_ : tuple of str or None
        What symbol 0, 1, … is called, where symbols came as texts.

    Examples
    --------
    >>> import ventris as vt
    >>> chain = vt.datasets.make_paper_chain(2, n_samples=12_000)
    >>> clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
    >>> bool(np.mean(clf.predict(chain.test.X) != chain.test.y) < 0.06)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "lm": [NgramModel],
        "order": [Interval(Integral, 1, None, closed="left"), None],
        "method": [StrOptions({"auto", "full-batch", "spdg"}), Solver],
        "fit_intercept": ["boolean"],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "n_init": [Interval(Integral, 1, None, closed="left"), None],
        "codebook_size": [Interval(Integral, 2, MOST_CODES, closed="both"), None],
        "refine": ["boolean"],
        "adapt": [StrOptions({"auto"}), "boolean", Interval(Real, 0, None, closed="neither")],
        "n_fits": [Interval(Integral, 1, 2, closed="both")],
        "classifier": [object, None],
        "features": [StrOptions({"full", "diagonal"})],
        **{name: SPDG._parameter_constraints[name] for name in SPDG_PARAMETERS},
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 0.5, closed="left")],
        "checkpoint": [str, os.PathLike, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left"), None],
        "callbacks": [list, tuple, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        lm: NgramModel,
        *,
        order: int | None = None,
        method: str | Solver = "auto",
        fit_intercept: bool = True,
        gamma: float = 1.0,
        n_init: int | None = None,
        codebook_size: int | None = None,
        refine: bool = True,
        adapt: bool | str | float = "auto",
        n_fits: int = 2,
        classifier: Any = None,
        features: str = "full",
        batch_size: int = defaults.BATCH_SIZE,
        subsequence_length: int = defaults.SUBSEQUENCE_LENGTH,
        primal_lr: float = defaults.PRIMAL_LR,
        dual_lr: float = defaults.DUAL_LR,
        dual_form: str = defaults.DUAL_FORM,
        max_iter: int | None = None,
        tol: float | None = None,
        validation_fraction: float = 0.1,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int | None = None,
        callbacks: Sequence[Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.lm = lm
        self.order = order
        self.method = method
        self.fit_intercept = fit_intercept
        self.gamma = gamma
        self.n_init = n_init
        self.codebook_size = codebook_size
        self.refine = refine
        self.adapt = adapt
        self.n_fits = n_fits
        self.classifier = classifier
        self.features = features
        self.batch_size = batch_size
        self.subsequence_length = subsequence_length
        self.primal_lr = primal_lr
        self.dual_lr = dual_lr
        self.dual_form = dual_form
        self.max_iter = max_iter
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        lengths: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        partial_labels: Any = None,
    ) -> SequenceClassifier:
        """Learn from unlabelled sequences.

        Parameters
        ----------
        X : list of arrays of shape (n_i, D), or array of shape (T, D) with `lengths`
            Or symbols, whole numbers from 0 or texts, one a point. A dictionary or generator of sequences, an
            (S, T, D) array, data frames and tensors will do as well.
        y : ignored
            As in scikit-learn's clusterers: no label can leak in through a grid search.
        lengths : array of shape (S,), optional
            Points of each sequence, by keyword: by position it would be `y`.
        groups : array of shape (T,), optional
            Instead of `lengths`: which sequence each point belongs to. Under cross-validation scikit-learn
            cuts it along with the points, given ``set_fit_request(groups=True)``.
        partial_labels : array of shape (T,) or (T, C), data frame, or list of such, optional
            Labels that are known; −1 or what counts as missing (None, NaN, pandas' NA, a masked entry)
            where they are not. Or their probabilities, columns in the order of the label model's classes or
            named by them, a row of NaN where nothing is known. In a list, None for a sequence without any.
        """
        self._validate_params()
        sequences = self._read(X, lengths, groups, reset=True)
        refuse_lengths_as_labels(y, sequences.n_points, "fit")
        known = None
        if partial_labels is not None:
            given = sequences.like(partial_labels)
            known = read_known_labels(given, sequences.lengths, self.lm.alphabet)
        rng = generator_of(self.random_state)
        train = train_by_route if self.method == "auto" else train_by_solver
        with ExitStack() as stack:
            stack.enter_context(threadpool_limits(_threads(self.n_jobs, sequences)))
            checkpoint = None
            if self.checkpoint is not None:
                stack.enter_context(hold_folder(self.checkpoint))
                checkpoint = self._open_checkpoint(sequences, known)
                resume_generator(rng, checkpoint)
            shown = [stack.enter_context(Progress(self.verbose))] if self.verbose else []
            callbacks = Callbacks([checked_callback(each) for each in self.callbacks or ()] + shown)
            trained = train(self, sequences, known, rng, callbacks, checkpoint)
        self._keep(trained, sequences, rng, known)
        if callbacks.callbacks:
            name = "route" if self.method == "auto" else self.report_.method
            end = Event(name, "", 1, 1, cost=self.cost_, excess_cost=self.excess_cost_)
            learner = self.learner_
            callbacks.tell("fit_end", replace(end, predict=learner.predict_proba, model=learner.model))
        return self

    def _keep(
        self, trained: Trained, sequences: Sequences, rng: np.random.Generator, known: KnownLabels | None
    ) -> None:
        """The learnt state, and what can be said about it without labels."""
        self.learner_ = trained.learner
        self.classes_ = self.lm.alphabet.array
        self.lm_ = trained.journey.lm if trained.journey else self.lm
        self.history_ = trained.history
        self.order_ = trained.order
        posteriors = self.learner_.predict_sequences(sequences)
        self.usage_ = column_means(posteriors)
        self.report_: Report = examine(
            posteriors,
            sequences.lengths,
            self.lm_,
            min(2, self.order_),
            method=self.method if isinstance(self.method, str) else self.method.name,
            rng=rng,
            solution=trained.solution,
            restarts=trained.restarts,
            search=trained.journey.search if trained.journey else None,
            history=trained.history,
            named=set() if known is None else known.named,
            learnt=self._learnt(trained, posteriors, sequences, known),
        )
        self.report_.belongs_to(self)
        self.report_.inputs = list(sequences.notes)
        self.cost_, self.excess_cost_ = self.report_.cost, self.report_.excess_cost
        if self.learner_.model is not None:
            self.coef_, self.intercept_ = self.learner_.model.coef, self.learner_.model.intercept
        expected = objective.expected_ngrams(posteriors, min(2, self.order_), sequences.lengths)
        self.dual_ = trained.solution.dual if trained.solution else objective.optimal_dual(expected)
        self.report_.warn(stacklevel=3)

    def _learnt(
        self, trained: Trained, posteriors: Array, sequences: Sequences, known: KnownLabels | None
    ) -> Learnt | None:
        """What the answer of "auto" is judged by."""
        if trained.fresh is None:
            return None
        decoded = part = None
        if known is not None and known.n:
            labels = infer_labels(posteriors, sequences.lengths, self.lm_, self.order_, self.usage_)[0]
            decoded, part = labels[known.mask], known[known.mask]
        return Learnt(self.lm, self.lm_, self.order_, Fresh(*trained.fresh), decoded, part)

    # ------------------------------------------------------------------ each point alone

    def predict_proba(
        self, X: Any, lengths: ArrayLike | None = None, *, groups: ArrayLike | None = None
    ) -> Any:
        """Probability of each class for each point alone: shape (T, C), or a list of such.

        Parameters
        ----------
        X, lengths, groups : as in `fit`
        """
        sequences = self._read(X, lengths, groups)
        return self._contained(sequences.restore(self.learner_.predict_sequences(sequences)), X)

    def predict(self, X: Any, lengths: ArrayLike | None = None, *, groups: ArrayLike | None = None) -> Any:
        """Label of each point alone: shape (T,), or a list of such.

        Parameters
        ----------
        X, lengths, groups : as in `fit`
        """
        sequences = self._read(X, lengths, groups)
        return sequences.restore(self.classes_[self.learner_.predict_sequences(sequences).argmax(axis=1)])

    def decision_function(
        self, X: Any, lengths: ArrayLike | None = None, *, groups: ArrayLike | None = None
    ) -> Any:
        """Logarithm of each class's probability, up to a constant a point: shape (T, C).

        Parameters
        ----------
        X, lengths, groups : as in `fit`
        """
        sequences = self._read(X, lengths, groups)
        return sequences.restore(self.learner_.logits_of_sequences(sequences))

    # ------------------------------------------------------------------ each point in its sequence

    def decode(
        self,
        X: Any,
        lengths: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        method: str = "posterior",
        order: int | None = None,
    ) -> Any:
        """Label of each point in its sequence, under the label model.

        After a pipeline's other steps: ``pipe[-1].decode(pipe[:-1].transform(X), lengths=lengths)``.

        Parameters
        ----------
        X, lengths, groups : as in `fit`
        method : {"posterior", "viterbi"}
            The likeliest label of each point, or the likeliest sequence as a whole.
        order : int, optional
            Order of the label model; by default the one learnt with.
        """
        sequences = self._read(X, lengths, groups)
        if method == "posterior":
            labels = self._along(infer_labels, sequences, order)[0].argmax(axis=1)
        elif method == "viterbi":
            labels = self._along(likeliest_path, sequences, order)
        else:
            raise ParameterError("method must be 'posterior' or 'viterbi'", f"it is {method!r}", "Choose one")
        return sequences.restore(self.classes_[labels])

    def decode_proba(
        self,
        X: Any,
        lengths: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        order: int | None = None,
    ) -> Any:
        """Probability of each class for each point given its whole sequence: shape (T, C).

        Parameters
        ----------
        X, lengths, groups : as in `fit`
        order : int, optional
            Order of the label model; by default the one learnt with.
        """
        sequences = self._read(X, lengths, groups)
        return self._contained(sequences.restore(self._along(infer_labels, sequences, order)[0]), X)

    def _along(self, task: Callable[..., Any], sequences: Sequences, order: int | None) -> Any:
        """What `task` makes of the outputs along the sequences, in as many threads as `n_jobs` says."""
        posteriors = self.learner_.predict_sequences(sequences)
        threads = int(self.n_jobs or -1)
        k = self._order(order)
        return task(posteriors, sequences.lengths, self.lm_, k, usage=self.usage_, n_jobs=threads)

    # ------------------------------------------------------------------ how good, without labels

    def score(
        self,
        X: Any,
        y: Any = None,
        *,
        lengths: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> float:
        """Sequence likelihood: mean log-likelihood per point of the outputs under the label model, in nats.

        Higher is better, a constant classifier scores 0. It compares classifiers across methods and steps.

        Parameters
        ----------
        X, lengths, groups : as in `fit`
        y : ignored
            And said to be: for accuracy compare it with `decode` or `predict`.
        """
        sequences = self._read(X, lengths, groups)
        refuse_lengths_as_labels(y, sequences.n_points, "score")
        if y is not None:
            note = (
                "score is no accuracy and ignores y: it is in nats a symbol, and a constant classifier has 0."
            )
            hint = "For accuracy: sklearn.metrics.accuracy_score(y, clf.decode(X))."
            warnings.warn(AmbiguousInputWarning(f"{note} {hint}"), stacklevel=2)
        return float(self._along(sequence_score, sequences, None))

    def cost(
        self,
        X: Any,
        lengths: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        order: int | None = None,
    ) -> float:
        """The cost J of the outputs on X (E1), in nats; it ranks starts of one method and order only.

        Parameters
        ----------
        X, lengths, groups : as in `fit`
        order : int, optional
            Order of the n-grams; by default 2, or 1 where the label model has no more.
        """
        sequences = self._read(X, lengths, groups)
        k = min(2, self.order_) if order is None else self._order(order)
        expected = objective.expected_ngrams(self.learner_.predict_sequences(sequences), k, sequences.lengths)
        return objective.cost(self.lm_.joint(k), expected)

    # ------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str], *, force: bool = True) -> None:
        """Write the fitted classifier and its label model to one file; `ventris.load` reads it.

        Parameters
        ----------
        path : path
        force : bool, default True
            Whether an existing file may be replaced.
        """
        check_is_fitted(self, "learner_")
        save_classifier(self, path, force=force)

    # ------------------------------------------------------------------ what comes in

    def _validate_params(self) -> None:
        """scikit-learn's check of every parameter's domain, in our own words."""
        if not isinstance(self.lm, NgramModel):
            raise ParameterError(
                "lm must be a label model",
                f"it is a {type(self.lm).__name__}",
                "Make one with NgramModel.from_transition_matrix(P), from_sequences, from_text, … first",
            )
        try:
            super()._validate_params()
        except InvalidParameterError as problem:
            raise ParameterError(
                "Every parameter must be in its domain", str(problem).rstrip("."), "Correct that parameter"
            ) from None
        if isinstance(self.method, Solver):
            check_alone(self)

    def _read(
        self, X: Any, lengths: ArrayLike | None, groups: ArrayLike | None = None, reset: bool = False
    ) -> Sequences:
        if not reset:
            check_is_fitted(self, "learner_")
        parts = [] if isinstance(X, Sequences) else named_parts(X)
        if reset:
            self._check_names(parts[0] if parts else None, reset=True)
        for part in parts:
            self._check_names(part, reset=False)
        known, symbolic = (None, None) if reset else (self.symbols_, self.symbolic_)
        sequences = Sequences.of(X, lengths, groups=groups, symbols=known, symbolic=symbolic)
        if reset:
            self.symbols_: tuple[str, ...] | None = sequences.symbols
            if sequences.is_ambiguous:
                note = f"X was read {'; '.join(sequences.notes)}."
                warnings.warn(AmbiguousInputWarning(note), stacklevel=3)
        elif sequences.symbols is not None and self.symbols_ is None and self.symbolic_:
            raise DataError(
                "X must hold symbols as numbers, as those learnt from did",
                f"it holds texts, {sequences.symbols[0]!r} for example",
                "Number them as for fit, or fit again on texts",
            )
        width = 1 if sequences.is_symbolic else sequences.data.shape[1]
        if reset:
            self.n_features_in_, self.symbolic_ = width, sequences.is_symbolic
        elif sequences.is_symbolic != self.symbolic_:
            raise DataError(
                "X must be of the kind learnt from",
                "one is symbols (1-D integers) and the other features (2-D)",
                "Pass the same kind to fit and predict",
            )
        elif width != self.n_features_in_:
            raise DataError(
                f"X has {width} features",
                f"{type(self).__name__} is expecting {self.n_features_in_} features as input",
                "Pass the features it was fitted on",
            )
        return sequences

    def _check_names(self, X: Any, reset: bool) -> None:
        try:
            _check_feature_names(self, X, reset=reset)
        except (TypeError, ValueError) as problem:
            raise DataError(
                "Columns must be named by text, and be those that were fitted on", str(problem).rstrip("."),
                "Rename the columns, or pass X.to_numpy()",
            ) from None  # fmt: skip

    def _order(self, order: int | None) -> int:
        k = self.order_ if order is None else order
        if not isinstance(k, Integral):
            raise ParameterError("order must be a whole number", f"it is {k!r}", "Give 1, 2, 3, …")
        if not 1 <= k <= self.lm.order:
            raise LanguageModelError(
                f"order must be between 1 and the label model's {self.lm.order}",
                f"it is {k}",
                "Choose a lower order, or build a label model of a higher one",
            )
        return int(k)

    def _open_checkpoint(self, sequences: Sequences, known: KnownLabels | None) -> Checkpoint:
        assert self.checkpoint is not None
        free = {"lm", "checkpoint", "verbose", "n_jobs", "callbacks"}
        parameters = {name: value for name, value in self.get_params(deep=False).items() if name not in free}
        if isinstance(self.method, Solver):
            settings = {f"method__{name}": value for name, value in self.method.get_params().items()}
            parameters |= settings | {"method": self.method.name}
        if not isinstance(self.random_state, Integral):
            parameters["random_state"] = type(self.random_state).__name__  # the folder keeps its state
        parameters["classifier"] = _described(self.classifier)
        if known is not None:
            parameters["partial_labels"] = known.plain()
        mark = fingerprint(parameters, sequences.data, sequences.lengths, lm_to_state(self.lm))
        return Checkpoint(self.checkpoint, mark)

    # ------------------------------------------------------------------ in a notebook

    def _repr_html_inner(self) -> str:
        """scikit-learn's diagram, and beneath it the report of a fitted classifier."""
        return super()._repr_html_inner() + (self.report_._repr_html_() if hasattr(self, "report_") else "")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What a notebook asks for first; scikit-learn's own would leave the report out."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return bundle | ({"text/html": self._repr_html_inner()} if "text/html" in bundle else {})

    def __sklearn_tags__(self) -> Any:
        """To scikit-learn a classifier once it is fitted, as its displays ask for one.

        Before, it learns as a clusterer does: a classifier would be expected to make use of y.
        """
        tags = super().__sklearn_tags__()
        if hasattr(self, "learner_"):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learner_")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A report does not keep its classifier in a pickle: the classifier takes it up again."""
        super().__setstate__(state)
        if "report_" in state:
            self.report_.belongs_to(self)


def load(path: str | os.PathLike[str], *, classifier: Any = None, module: Any = None) -> SequenceClassifier:
    """The classifier that `SequenceClassifier.save` wrote.

    Parameters
    ----------
    path : path
    classifier : object, optional
        For a model of one's own classifier: an object of the same class and settings; a copy of it takes up
        what was learnt. A file never says which code to run.
    module : class or nn.Module, optional
        For a model of one's own network: its class, which is called with the arguments it was saved with, or
        an instance like it. Presets need none.

    Raises
    ------
    FileFormatError
        For a file that is damaged, of a later version, or of something else.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import ventris as vt
    >>> chain = vt.datasets.make_paper_chain(2, n_samples=6_000)
    >>> clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(pathlib.Path(folder, "reader.ventris"))
    ...     again = vt.load(pathlib.Path(folder, "reader.ventris"))
    >>> bool((again.predict(chain.test.X) == clf.predict(chain.test.X)).all())
    True
    """
    return load_classifier(path, SequenceClassifier, classifier, module)


def _described(classifier: Any) -> str | None:
    """Class and settings of a user's classifier: what two of a kind have in common, wherever in memory."""
    if classifier is None or isinstance(classifier, str):
        return classifier
    settings = classifier.get_params() if hasattr(classifier, "get_params") else vars(classifier)
    return f"{type(classifier).__qualname__}({re.sub(' at 0x[0-9a-f]+', '', repr(settings))})"


def _threads(n_jobs: int | None, sequences: Sequences) -> int | None:
    """Threads of the matrix products inside a fit; None leaves them as they are.

    On a busy machine two threads took fifteen times the CPU of one for 4,000 points.
    """
    if sequences.data.size <= _SMALL:
        return 1
    return None if n_jobs is None or n_jobs < 1 else int(n_jobs)
