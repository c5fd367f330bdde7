"""J and its saddle form L as a module for one's own training loop (E1–E7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from ventris.data.sequences import check_lengths
from ventris.errors import DataError, ParameterError
from ventris.label_model.model import NgramModel
from ventris.objective import TINY
from ventris.torch.expected import DenseCounts, SparseCounts, blocks_of, n_windows, over_processes

Dual = Literal["batch", "average", "parameter"]


class NgramMatchingLoss(nn.Module):
    """How far a network's n-grams are from the label model's, to be lowered by any optimiser.

    ``J = −Σ_i P(i) ln P̄(i)`` (E1), with P̄ the mean over windows of the product of the window's outputs (E2).
    The sum is inside the logarithm, so a batch's own J is biased: what is exact for all data is the saddle
    form ``L = Σ_i P(i) [v_i P̄(i) + ln(−v_i)]`` (E4), linear in P̄, with one negative number v_i an n-gram.

    Parameters
    ----------
    lm : NgramModel
    order : int, default 2
        N, labels in a window; beyond the label model's own it is extended by the Markov property.
    top : int, optional
        Only the so many most probable n-grams are matched; by default all.
    dual : {"batch", "average", "parameter"}
        Where V comes from. "batch": −1/P̄ of the batch itself, so that the loss is J of the batch.
        "average": −1/P̄ of a running average of counts, the exact inner maximum (E5) for what was seen of
        late. "parameter": ``v = −exp(log_dual)`` is learnt; it starts at −1/P̄ of the first batch, and its
        gradient is turned round and divided by P, so that the optimiser that lowers the loss raises L in V.
    momentum : float, default 0.99
        Share of the running average that a batch leaves as it is.
    group : optional
        Of `torch.distributed`. Where several processes are at work, counts are added up over them before the
        logarithm; gradients are then to be averaged, as `DistributedDataParallel` does.

    Examples
    --------
    >>> import ventris as vt
    >>> from ventris.torch import NgramMatchingLoss
    >>> lm = vt.NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
    >>> loss = NgramMatchingLoss(lm, order=2)
    >>> logits = torch.zeros(20, 2, requires_grad=True)
    >>> value = loss(logits, lengths=[12, 8])  # even outputs: every pair has probability 1/4
    >>> round(value.item(), 4), round(float(np.log(4)), 4)
    (1.3863, 1.3863)
    >>> value.backward()

    References
    ----------
    Y. Liu, L. Deng, J. Chen and C. W. Chen, "From Caesar Cipher to Unsupervised Learning: A New Method for
    Classifier Parameter Estimation", 2019.
    """

    lm_prob: Tensor
    grams: Tensor
    average: Tensor
    log_dual: nn.Parameter

    def __init__(
        self,
        lm: NgramModel,
        order: int = 2,
        *,
        top: int | None = None,
        dual: Dual = "batch",
        momentum: float = 0.99,
        group: Any = None,
    ) -> None:
        super().__init__()
        _check(lm, order, dual, momentum)
        self.order, self.n_classes, self.dual = order, lm.n_classes, dual
        self.momentum, self.group, self.is_sparse = momentum, group, top is not None
        if top is None:
            prob, grams = lm.joint(order), np.zeros((0, order), np.int64)
        else:
            table = lm.table(order, top=top)
            prob, grams = table.prob, table.grams
        self.register_buffer("lm_prob", torch.tensor(np.asarray(prob, dtype=np.float64)))
        self.register_buffer("grams", torch.tensor(np.asarray(grams, dtype=np.int64)))
        self.register_buffer("average", torch.zeros_like(self.lm_prob))
        if dual == "parameter":
            self.log_dual = nn.Parameter(torch.full_like(self.lm_prob, torch.nan))

    @property
    def entropy(self) -> float:
        """H, the least value that J can take; J − H is what is left to learn."""
        there = self.lm_prob[self.lm_prob > 0]
        return float(-(there * there.log()).sum())

    # ---------------------------------------------------------------- the loss of a batch

    def forward(self, logits: Tensor, lengths: ArrayLike | Tensor | None = None) -> Tensor:
        """The loss of a batch.

        Parameters
        ----------
        logits : tensor of shape (T, C), or (B, T, C) padded
        lengths : (S,), optional
            Of the sequences one after another, or (B,) of the padded ones; all of it by default.
        """
        counts, windows = self.counts(logits, lengths)
        expected = counts / windows  # (E2)
        if self.dual == "batch":
            return self._cost(expected)
        v = self._dual(expected.detach())
        used = self.lm_prob > 0  # an n-gram of no probability asks for nothing
        terms = v[used] * expected[used] + torch.log(-v[used])  # (E4)
        return (self.lm_prob[used] * terms).sum() + self.lm_prob.sum()  # J at the best V (E5)

    def counts(self, logits: Tensor, lengths: ArrayLike | Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Expected n-gram counts in double precision, of all processes, and the number of windows.

        Both are of a batch of `logits` and `lengths` as the loss itself takes them.
        """
        flat, each = self._flat(logits, lengths)
        p = torch.softmax(flat, dim=-1)
        if self.is_sparse:
            blocks = blocks_of(len(p), len(self.grams), self.order, each)
            own = SparseCounts.apply(p, self.grams, blocks)
        else:
            blocks = blocks_of(len(p), self.n_classes ** (self.order - 1), self.order, each)
            own = DenseCounts.apply(p, self.order, blocks)
        windows = own.new_tensor([float(n_windows(blocks))], dtype=torch.float64)
        both = torch.cat([own.double().reshape(-1), windows])
        both = over_processes(both, self.group)
        return both[:-1].reshape(self.lm_prob.shape), both[-1].detach()

    def _cost(self, expected: Tensor) -> Tensor:
        used = self.lm_prob > 0
        return -(self.lm_prob[used] * torch.log(expected[used].clamp(min=TINY))).sum()  # (E1)

    def _dual(self, expected: Tensor) -> Tensor:
        """V < 0 for this batch."""
        if self.dual == "parameter":
            if self.training or torch.isnan(self.log_dual).any():
                self._start(expected)
            log_dual = _Ascending.apply(self.log_dual, self.lm_prob)
            return -torch.exp(log_dual)
        share = 0.0 if not self.average.any() else self.momentum
        if self.training:
            self.average.mul_(share).add_(expected, alpha=1.0 - share)
        return -1.0 / self.average.clamp(min=TINY)  # (E5)

    def _start(self, expected: Tensor) -> None:
        with torch.no_grad():
            missing = torch.isnan(self.log_dual)
            self.log_dual[missing] = -torch.log(expected[missing].clamp(min=1e-12))

    # ---------------------------------------------------------------- what comes in

    def _flat(self, logits: Tensor, lengths: ArrayLike | Tensor | None) -> tuple[Tensor, Any]:
        """Logits (T, C) of the points that are there, and the lengths of their sequences."""
        if logits.ndim not in (2, 3) or logits.shape[-1] != self.n_classes:
            raise DataError(
                f"logits must be of shape (T, {self.n_classes}) or (B, T, {self.n_classes})",
                f"they are of shape {tuple(logits.shape)}",
                "Give the network as many outputs as the label model has labels, classes last",
            )
        if not torch.isfinite(logits).all():
            raise DataError(
                "logits must be finite", "some are NaN or infinite", "Lower the rate, or scale the features"
            )
        given = lengths.cpu().numpy() if isinstance(lengths, Tensor) else lengths
        if logits.ndim == 2:
            return logits, check_lengths(given, len(logits))
        n_batch, longest = logits.shape[:2]
        each = np.full(n_batch, longest) if given is None else np.asarray(given)
        if each.shape != (n_batch,) or each.min(initial=1) < 1 or each.max(initial=0) > longest:
            raise DataError(
                f"lengths must be {n_batch} numbers from 1 to {longest}, one a padded sequence",
                f"they are {each.tolist()}",
                "Give the number of points of each that are not padding",
            )
        if (each == longest).all():
            return logits.reshape(-1, self.n_classes), each
        inside = torch.arange(longest)[None, :] < torch.from_numpy(each.astype(np.int64))[:, None]
        return logits[inside.to(logits.device)], each

    # ---------------------------------------------------------------- J of everything

    @torch.no_grad()
    def cost(self, batches: Iterable[tuple[Tensor, Any]]) -> float:
        """J over all of the data, by a full pass: what to report and to choose by.

        Parameters
        ----------
        batches : iterable of (logits, lengths)
            Whole sequences each; no window reaches from one to another.
        """
        total, windows = torch.zeros_like(self.lm_prob), 0.0
        for logits, lengths in batches:
            counts, n = self.counts(logits, lengths)
            total, windows = total + counts, windows + float(n)
        return float(self._cost(total / windows))


class _Ascending(torch.autograd.Function):
    """Nothing forwards; backwards the gradient turned round, and as large for rare n-grams as for others."""

    @staticmethod
    def forward(ctx: Any, log_dual: Tensor, lm_prob: Tensor) -> Tensor:
        ctx.save_for_backward(lm_prob)
        return log_dual.clone()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (lm_prob,) = ctx.saved_tensors
        return -gradient / lm_prob.clamp(min=TINY), None


def _check(lm: Any, order: int, dual: str, momentum: float) -> None:
    if order < 1:
        raise ParameterError("order must be at least 1", f"it is {order}", "Choose 2 for pairs of labels")
    if dual not in get_args(Dual) or not 0 <= momentum < 1:
        raise ParameterError(
            "dual must be 'batch', 'average' or 'parameter', and momentum from 0 to below 1",
            f"they are {dual!r} and {momentum}",
            "Choose one",
        )
