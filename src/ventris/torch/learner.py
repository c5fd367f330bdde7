"""Any PyTorch module as a learner: mini-batches, warm starts, one fresh last fit, files."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from torch import Tensor, nn

from ventris.classifiers.base import Capability, Learner, State
from ventris.data.sequences import Sequences
from ventris.torch import modules
from ventris.torch.batches import Units
from ventris.torch.choosing import BestSoFar, Chosen, choose, merged_copies
from ventris.torch.input_loss import input_loss_of
from ventris.torch.net import InputLoss, OnEpoch, teach
from ventris.torch.parameters import check_parameters, device_of
from ventris.torch.settings import DEFAULT, NetworkSettings
from ventris.torch.sight import Sight

Array = NDArray[np.floating]
_ALWAYS = frozenset({Capability.STATE, Capability.ROUNDS, Capability.ANEW, Capability.EPOCHS})
# Taught what it reads of its own lessons, a network may learn its mistakes by heart. Halves that read each
# other are to prevent that; how far is unmeasured (`bench/networks/glyphs.py` is to tell).
_BY_HALVES = frozenset({Capability.PENALTY, Capability.CROSS_FITTING})
_KEPT = ("l2", "n_lessons_", "in_rounds_", "forgot_", "sharpness", "n_classes_")


class TorchLearner(BaseEstimator, Learner):
    """A PyTorch module learnt without labels, as `SequenceClassifier(lm, classifier=TorchLearner(…))`.

    Its lessons are soft targets. Each goes on from the last (warm start), but the last of all begins anew and
    owes nothing to the first, worse labels. The loop is skorch's.

    Parameters
    ----------
    module : nn.Module, class, or {"mlp", "cnn", "tcn"}
        Maps a batch of points to logits, (B, …) → (B, C); with `context`, whole stretches of a sequence,
        (B, T, …) → (B, T, C). A class is called with `module_args`; an instance is copied, and begins anew
        from the weights it came with. One of three presets by its name: see `ventris.torch.presets`.
    module_args : dict, optional
        Of a class, or beside what a preset finds out itself.
    input_shape : tuple of int, optional
        Of one point, such as (1, 16, 16); rows of X are then reshaped to it. A vector by default.
    context : int, optional
        Points on either side of a point that the module sees: it is then shown stretches; before the last
        fit each point alone, a stretch of one. A `forward` with an argument `mask`, of shape (B, T), is told
        which points are there; the others are zero. A sequence shorter than that is read with what it has.
    epochs : int, optional
        Passes of a fit from nothing; by default as many as inputs left out approve of.
    weight_decay : float, optional
        AdamW's; by default chosen likewise.
    lr, batch_size : optional
        By default the settings'.
    augment : callable, optional
        A batch (B, …) → a batch like it, as the module may see it instead; for lessons only.
    input_loss : {"consistency", "reconstruction"}, Consistency, Reconstruction or callable, optional
        A term on the inputs alone, `input_loss(module, x)` → a number, added to that of the targets.
    input_weight : float, default 1
        Its weight.
    pretrain_epochs : int, default 0
        Passes with the input loss alone before the first lesson.
    standardise : bool, default True
        Whether inputs are centred and scaled for the module: each feature by itself, pixels together.
    device : str, default "auto"
        "auto" takes CUDA or Apple's GPU if there is one; only "cpu" was ever tested.
    callbacks : list of skorch callbacks, optional
    random_state : int, default 0
        At one thread (`torch.set_num_threads(1)`) the same seed gives the same weights.
    settings : NetworkSettings, optional

    Attributes
    ----------
    module_ : nn.Module
        As it was learnt.
    chosen_ : Chosen
        Weight decay and passes of fits from nothing.

    Notes
    -----
    Its methods are those of every learner, and take what these take: inputs `X`, or `points` of whole
    sequences; `soft_targets`, `sample_weight` or hard `labels`; the `number` and `order` of a round; a
    `judge`, and whom to `tell`; a `sharpness`; the `arrays` and `meta` of a state.

    Examples
    --------
    >>> import ventris as vt
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> learner = vt.TorchLearner("mlp", epochs=20, weight_decay=0.0)
    >>> labels = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> outputs = learner.fit(X, np.eye(2)[labels]).predict_proba(X)
    >>> bool(np.mean(outputs.argmax(axis=1) != labels) < 0.1)
    True
    """

    kind: ClassVar[str] = "torch"

    def __init__(
        self,
        module: Any,
        *,
        module_args: dict[str, Any] | None = None,
        input_shape: tuple[int, ...] | None = None,
        context: int | None = None,
        epochs: int | None = None,
        weight_decay: float | None = None,
        lr: float | None = None,
        batch_size: int | None = None,
        augment: Callable[[Tensor], Tensor] | None = None,
        input_loss: Literal["consistency", "reconstruction"] | InputLoss | None = None,
        input_weight: float = 1.0,
        pretrain_epochs: int = 0,
        standardise: bool = True,
        device: str = "auto",
        callbacks: Sequence[Any] | None = None,
        random_state: int = 0,
        settings: NetworkSettings = DEFAULT,
    ) -> None:
        self.module, self.module_args = module, module_args
        self.input_shape, self.context = input_shape, context
        self.epochs, self.weight_decay, self.lr, self.batch_size = epochs, weight_decay, lr, batch_size
        self.augment, self.input_loss, self.input_weight = augment, input_loss, input_weight
        self.pretrain_epochs, self.standardise, self.device = pretrain_epochs, standardise, device
        self.callbacks, self.random_state, self.settings = callbacks, random_state, settings
        self.module_: nn.Module | None = None
        self.units_: Units | None = None
        self.chosen_: Chosen | None = None
        self.n_classes_ = self.n_lessons_ = 0
        self.in_rounds_ = self.forgot_ = False
        self.l2, self.sharpness = 0.0, 1.0
        self._judge: Callable[[Learner], float] | None = None
        self._tell: Callable[[int, int], bool] | None = None

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Halves of the points that read each other would tear a sequence apart."""
        return _ALWAYS | ({Capability.CONTEXT} if self._context else _BY_HALVES)

    # ---------------------------------------------------------------- lessons

    def fit(self, X: Array, soft_targets: Array, sample_weight: ArrayLike | None = None) -> TorchLearner:
        """One lesson: rows of probabilities (n, C) for inputs (n, D); with `context`, of one sequence."""
        targets = np.asarray(soft_targets)
        if sample_weight is not None:
            targets = targets * np.asarray(sample_weight)[:, None]
        return self._lesson(_one_sequence(X), targets)

    def fit_sequences(self, points: Sequences, soft_targets: Array) -> TorchLearner:
        """One lesson of whole sequences."""
        return self._lesson(points, np.asarray(soft_targets))

    def fit_to_the_end(self, X: Any, soft_targets: Array) -> TorchLearner:
        """A fit from nothing: one that goes on would remember the first, worse labels."""
        self.forget()
        self.in_rounds_ = False
        return self.fit(X, soft_targets)

    def begin_round(self, number: int, *, order: int) -> None:
        """Lessons of the route come in rounds, which are short."""
        self.in_rounds_ = True

    def attend(
        self, judge: Callable[[Learner], float] | None, tell: Callable[[int, int], bool] | None = None
    ) -> None:
        """Who judges a fit from nothing after each pass, by points not learnt from, and who is told of it."""
        self._judge, self._tell = judge, tell

    def forget(self) -> None:
        """Back to the module as it came; weight decay and passes stay, once chosen."""
        self.module_, self.forgot_, self.sharpness = None, True, 1.0

    # ---------------------------------------------------------------- penalty

    def needs_penalty(self, X: Array) -> bool:
        """A network always has weights enough to learn labels by heart."""
        self._take_units(X)
        return True

    def choose_penalty(self, X: Array, labels: NDArray) -> float:
        """Weight decay and passes, by errors on inputs left out (cross-validation)."""
        rng, targets = np.random.default_rng(self.random_state), np.eye(self.n_classes_)[labels]
        points, targets = self._merged(_one_sequence(X), targets)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.random_state)
            self.chosen_ = self._choose(points, targets, rng, self.settings.weight_decays)
        return self.chosen_.weight_decay / self.settings.decay

    @property
    def _decays(self) -> tuple[float, ...]:
        """Weight decays to choose from: the user's, what the route's penalty comes to, or the settings'."""
        if self.weight_decay is not None:
            return (self.weight_decay,)
        return (self.settings.decay * self.l2,) if self.l2 else self.settings.weight_decays

    def _lesson(self, points: Sequences, targets: Array) -> TorchLearner:
        seed = int(np.random.SeedSequence([self.random_state, self.n_lessons_]).generate_state(1)[0])
        rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):  # what else is drawn in this process stays as it was
            torch.manual_seed(seed)
            self._learn(points, targets, rng)
        self.n_lessons_ += 1
        return self

    def _learn(self, points: Sequences, targets: Array, rng: np.random.Generator) -> None:
        self._set_out(points.data, targets)
        if not self._context:
            points, targets = self._merged(points, targets)
        settings, start = self.settings, self.module_
        if start is not None:
            epochs = _passes(settings.next_epochs, settings.next_updates, self._n_batches(points))
            lr = settings.next_lr if self.lr is None else self.lr * settings.next_lr / settings.lr
            self.module_ = self._taught(start, points, targets, rng, epochs, lr=lr)
            return
        if self._is_first_lesson:
            epochs = _passes(settings.first_epochs, settings.first_updates, self._n_batches(points))
        else:
            self.chosen_ = self.chosen_ or self._choose(points, targets, rng, self._decays)
            epochs = self.chosen_.epochs
        self.module_ = self._judged(self._begun(points, rng), points, targets, rng, epochs)

    @property
    def _is_first_lesson(self) -> bool:
        """Whether a fit from nothing is one of the route's rounds, with better labels still to come.

        One after `forget` may be the last, and is if weight decay and passes have been chosen already.
        """
        is_last = self.forgot_ and (self.chosen_ is not None or self._context > 0)
        return self.in_rounds_ and not is_last

    def _set_out(self, X: Array, targets: Array) -> None:
        """What is the same for every lesson, from the first."""
        check_parameters(self)
        self.n_classes_ = targets.shape[1]
        self._take_units(X)

    def _take_units(self, X: Array) -> None:
        if self.units_ is None:
            shape = modules.shape_of(self.module, self.input_shape, X.shape[1])
            self.units_ = Units.of(X, shape, self.standardise)

    def _merged(self, points: Sequences, targets: Array) -> tuple[Sequences, Array]:
        X, targets = merged_copies(points.data, targets)
        return _one_sequence(X), targets

    def _begun(self, points: Sequences, rng: np.random.Generator) -> nn.Module:
        """The module before its first lesson; if asked for, it has seen the inputs alone."""
        module = self._new_module()
        if self.pretrain_epochs:
            targets = np.full((points.n_points, self.n_classes_), 1.0 / self.n_classes_)
            epochs = self.pretrain_epochs
            module = self._taught(module, points, targets, rng, epochs, inputs_only=True)
        return module

    def _new_module(self) -> nn.Module:
        assert self.units_ is not None
        n_features = len(self.units_.centre)
        n_classes = self.n_classes_ or 2  # asked for its size before its first lesson
        module = modules.built(self.module, self.module_args, n_features, self.units_.shape, n_classes)
        return module.to(device_of(self.device))

    def _choose(
        self, points: Sequences, targets: Array, rng: np.random.Generator, decays: tuple[float, ...]
    ) -> Chosen:
        """Weight decay and passes; what the user has set is not tried."""
        settings = self.settings
        most = _passes(settings.most_epochs, settings.most_updates, self._n_batches(points))
        if len(decays) == 1 and (self.epochs is not None or self._judge is not None):
            return Chosen(decays[0], self.epochs or most)  # a judge chooses among the passes
        if self._context:  # a fifth of the points would leave holes in the sequences
            return Chosen(decays[0], self.epochs or most)

        def fit(X: Array, hard: Array, weight_decay: float, judge: OnEpoch) -> None:
            part = _one_sequence(X)
            self._taught(self._new_module(), part, hard, rng, most, weight_decay=weight_decay, on_epoch=judge)

        found = choose(points.data, targets, decays, most, fit, self._log_proba, settings, rng)
        return Chosen(found.weight_decay, self.epochs or found.epochs)

    def _judged(
        self, module: nn.Module, points: Sequences, targets: Array, rng: np.random.Generator, epochs: int
    ) -> nn.Module:
        """A fit from nothing; if there is a judge, the best of its passes (early stopping)."""
        judge, best = self._judge, BestSoFar(epochs, self.settings.patience)
        kept: dict[str, nn.Module] = {}

        def look(mean: nn.Module, epoch: int) -> bool:
            assert judge is not None
            ended = best.told(judge(self), epoch)
            if best.epoch == epoch:
                kept["best"] = copy.deepcopy(mean)
            return ended

        last = self._taught(module, points, targets, rng, epochs, on_epoch=look if judge else None)
        return kept.get("best", last)

    def _taught(
        self,
        module: nn.Module,
        points: Sequences,
        targets: Array,
        rng: np.random.Generator,
        epochs: int,
        *,
        lr: float | None = None,
        weight_decay: float | None = None,
        on_epoch: OnEpoch | None = None,
        inputs_only: bool = False,
    ) -> nn.Module:
        settings, tell = self.settings, self._tell
        if weight_decay is None:
            weight_decay = self.chosen_.weight_decay if self.chosen_ else self._decays[0]

        def told(mean: nn.Module, epoch: int) -> bool:
            self.module_ = mean  # whoever is told may ask for answers
            asked = bool(tell and tell(epoch, epochs))
            return bool(on_epoch and on_epoch(mean, epoch)) or asked

        return teach(
            module,
            self._sight.lesson(points, targets, rng),
            epochs,
            lr=lr or self.lr or settings.lr,
            weight_decay=weight_decay,
            averaging=settings.averaging,
            device=device_of(self.device),
            on_epoch=told,
            callbacks=list(self.callbacks or ()),
            input_loss=input_loss_of(self.input_loss),
            input_weight=self.input_weight,
            augment=self.augment,
            inputs_only=inputs_only,
        )

    # ---------------------------------------------------------------- batches

    @property
    def _size(self) -> int:
        return self.batch_size or self.settings.batch_size

    @property
    def _context(self) -> int:
        return modules.context_of(self.module, self.context)

    @property
    def _seen(self) -> int:
        """Neighbours that the module is shown at present: none before its last fit.

        A reader with context could learn the label model itself from its neighbours. Read with the label
        model again, round after round, its outputs would drift to likely label sequences, whatever the
        inputs.
        """
        return 0 if self.in_rounds_ and not self.forgot_ else self._context

    def _n_batches(self, points: Sequences) -> int:
        return max(1, points.n_points // self._size)

    @property
    def _sight(self) -> Sight:
        assert self.units_ is not None
        device, is_long = device_of(self.device), self._context > 0
        return Sight(self.units_, self._size, device, self.settings, is_long, self._seen)

    # ---------------------------------------------------------------- outputs

    def logits(self, X: Array) -> Array:
        """Of each row, times the sharpness: shape (n, C)."""
        return self.logits_of_sequences(_one_sequence(X))

    def predict_proba(self, X: Array) -> Array:
        """Probabilities of each row; with `context`, rows are one sequence."""
        return self.predict_sequences(_one_sequence(X))

    def predict_sequences(self, points: Sequences) -> Array:
        """Probabilities of each point, seen in its sequence where the module has context: shape (T, C)."""
        return np.exp(_log_softmax(self.logits_of_sequences(points)))

    def logits_of_sequences(self, points: Sequences) -> Array:
        """`logits` of each point, seen in its sequence: shape (T, C)."""
        if self.module_ is None:
            raise NotFittedError("This TorchLearner has had no lesson yet. Call fit first.")
        return self.sharpness * self._logits(self.module_, points)

    def _log_proba(self, module: nn.Module, X: Array) -> Array:
        return _log_softmax(self._logits(module, _one_sequence(X)))

    def _logits(self, module: nn.Module, points: Sequences) -> Array:
        return self._sight.logits(module, points, self.n_classes_)

    # ---------------------------------------------------------------- halves that read each other

    @property
    def n_weights(self) -> int:
        """Weights of the module."""
        return sum(each.numel() for each in (self.module_ or self._new_module()).parameters())

    def beginner(self) -> TorchLearner:
        """A learner with the same settings, weight decay and passes that has learnt nothing yet."""
        new = copy.copy(self)
        new.module_, new.sharpness, new.forgot_, new.in_rounds_ = None, 1.0, False, True
        new._judge = new._tell = None
        return new

    def resharpen(self, sharpness: float) -> None:
        """Logits are multiplied by it."""
        self.sharpness = sharpness

    # ---------------------------------------------------------------- to go back to, and to keep

    def snapshot(self) -> dict[str, Any]:
        """A lesson may change the module it began with, so that is copied; inputs and settings are not."""
        return {**vars(self), "module_": copy.deepcopy(self.module_)}

    def get_state(self) -> State:
        """Weights, the units of the inputs, and what module they belong to."""
        arrays, meta = modules.to_state(self.module, self.module_args, self.module_)
        if self.units_ is not None:
            arrays |= {"centre": self.units_.centre, "spread": self.units_.spread}
            meta["shape"] = None if self.units_.shape is None else list(self.units_.shape)
        meta |= {name: getattr(self, name) for name in _KEPT} | {"context": self.context}
        return arrays, meta | {"chosen": None if self.chosen_ is None else list(self.chosen_)}

    @classmethod
    def for_state(cls, meta: dict[str, Any], module: Any = None) -> TorchLearner:
        """A learner that can take up such a state: of a preset, or of the module given.

        Raises
        ------
        FileFormatError
            For a user's own module that is not given, or another one.
        """
        given = modules.for_state(meta, module)
        shape = None if meta["shape"] is None else tuple(meta["shape"])
        return cls(given, module_args=meta["module_args"], input_shape=shape, context=meta["context"])

    def set_state(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        """Take up what `get_state` gave, into the same kind of module.

        Raises
        ------
        FileFormatError
            Where it belongs to another module.
        """
        for name in _KEPT:
            setattr(self, name, meta[name])
        has_weights = modules.has_weights(arrays)
        if has_weights or "centre" in arrays:
            shape = None if meta["shape"] is None else tuple(meta["shape"])
            self.units_ = Units(arrays["centre"], arrays["spread"], shape).checked()
        self.chosen_ = Chosen(float(meta["chosen"][0]), int(meta["chosen"][1])) if meta["chosen"] else None
        if has_weights:
            modules.check_same(self.module, meta)
            self.module_ = modules.filled(self._new_module(), arrays).eval()


def _one_sequence(X: Array) -> Sequences:
    return Sequences(X, np.array([len(X)], dtype=np.int64))


def _passes(epochs: int, updates: int, n_batches: int) -> int:
    """So many passes, and more where points are so few that they would make fewer updates."""
    return max(epochs, -(-updates // n_batches))


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
