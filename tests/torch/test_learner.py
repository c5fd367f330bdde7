"""A network as a learner: lessons, batches, context, what is refused."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from torch import nn  # noqa: E402

from ventris.classifiers.base import Capability  # noqa: E402
from ventris.data.sequences import Sequences  # noqa: E402
from ventris.errors import DataError, DataTypeError, ParameterError  # noqa: E402
from ventris.torch import Consistency, Reconstruction, TorchLearner  # noqa: E402
from ventris.torch.batches import Points, Stretches, Units, spans  # noqa: E402
from ventris.torch.choosing import merged_copies  # noqa: E402
from ventris.torch.presets import CNN, MLP, TCN  # noqa: E402
from ventris.torch.settings import NetworkSettings  # noqa: E402


def rings(rng, n=600):
    """Two classes no line parts, and their labels."""
    y = rng.integers(2, size=n)
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = 1 + y + 0.1 * rng.normal(size=n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), y


def quick(module="mlp", **asked):
    return TorchLearner(module, **({"epochs": 30, "weight_decay": 1e-3} | asked))


def error(learner, X, y):
    return float(np.mean(learner.predict_proba(X).argmax(axis=1) != y))


# ---------------------------------------------------------------- lessons


def test_it_learns_what_no_line_parts(rng):
    X, y = rings(rng)
    learner = quick().fit(X, np.eye(2)[y])
    outputs = learner.predict_proba(X)
    assert error(learner, X, y) < 0.05
    np.testing.assert_allclose(outputs.sum(axis=1), 1.0, rtol=1e-5)
    odds = np.exp(learner.logits(X)[:, 1] - learner.logits(X)[:, 0])
    np.testing.assert_allclose(odds, outputs[:, 1] / outputs[:, 0], rtol=1e-3)


def test_soft_targets_and_weights_are_heeded():
    """Of one input only the mean target is learnt, weighted."""
    X = np.repeat(np.array([[-1.0], [1.0]]), 100, axis=0)
    targets = np.array([[0.7, 0.3], [0.2, 0.8]])[np.repeat([0, 1], 100)]
    outputs = quick(epochs=200).fit(X, targets).predict_proba(X[[0, -1]])
    np.testing.assert_allclose(outputs, [[0.7, 0.3], [0.2, 0.8]], atol=0.03)
    hard = np.eye(2)[np.tile([0, 1], 100)]
    weight = np.tile([3.0, 1.0], 100)
    outputs = quick(epochs=200).fit(X, hard, sample_weight=weight).predict_proba(X[[0, -1]])
    np.testing.assert_allclose(outputs[:, 0], 0.75, atol=0.05)


def test_the_same_seed_gives_the_same_bits(rng):
    X, y = rings(rng, 200)
    first, second = (quick(random_state=7, epochs=3).fit(X, np.eye(2)[y]).logits(X) for _ in range(2))
    other = quick(random_state=8, epochs=3).fit(X, np.eye(2)[y]).logits(X)
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_what_else_is_drawn_stays_as_it_was(rng):
    X, y = rings(rng, 100)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    quick(epochs=2).fit(X, np.eye(2)[y])
    assert torch.equal(torch.rand(3), expected)


def test_lessons_go_on_from_the_last_and_forgetting_starts_anew(rng):
    X, y = rings(rng)
    learner = quick(epochs=30).fit(X, np.eye(2)[y])
    learner.fit(X, np.eye(2)[y])  # short: from nothing so few batches would teach less
    assert error(learner, X, y) < 0.05
    learner.forget()
    learner.fit(X, np.eye(2)[1 - y])
    assert error(learner, X, 1 - y) < 0.05


def test_an_instance_begins_anew_from_the_weights_it_came_with(rng):
    X, y = rings(rng, 100)
    module = MLP(2, 2, width=4)
    came = copy.deepcopy(module.state_dict())
    learner = TorchLearner(module, epochs=2, weight_decay=0.0).fit(X, np.eye(2)[y])
    assert all(torch.equal(a, b) for a, b in zip(came.values(), module.state_dict().values(), strict=True))
    first = learner.logits(X)
    learner.forget()
    learner.n_lessons_ = 0  # the same batches
    np.testing.assert_array_equal(learner.fit(X, np.eye(2)[y]).logits(X), first)


def test_a_snapshot_brings_everything_back(rng):
    X, y = rings(rng, 200)
    learner = quick(epochs=5).fit(X, np.eye(2)[y])
    kept, before = learner.snapshot(), learner.logits(X)
    learner.fit(X, np.eye(2)[1 - y])
    assert not np.array_equal(learner.logits(X), before)
    learner.restore(kept)
    np.testing.assert_array_equal(learner.logits(X), before)


def test_weight_decay_and_passes_are_chosen_by_inputs_left_out(rng):
    X, y = rings(rng, 400)
    few = NetworkSettings(most_updates=300)  # enough for two rings
    learner = TorchLearner("mlp", lr=1e-2, settings=few).fit(X, np.eye(2)[y])
    assert learner.chosen_.weight_decay in learner.settings.weight_decays
    assert learner.chosen_.epochs >= 1
    assert error(learner, X, y) < 0.05
    learner.forget()
    assert learner.chosen_ is not None  # a beginner takes it over as well
    assert learner.beginner().chosen_ == learner.chosen_ and learner.beginner().module_ is None


def test_a_judge_keeps_the_best_pass_and_ends_a_lesson_early(rng):
    X, y = rings(rng, 200)
    scores, told = iter([1.0, 5.0] + [0.0] * 98), []
    learner = quick(epochs=100)
    learner.attend(lambda learnt: next(scores), lambda done, total: bool(told.append((done, total))))
    learner.fit(X, np.eye(2)[y])
    assert told[-1] == (2 + 25, 100)  # a quarter of the passes brought nothing better
    second = quick(epochs=2).fit(X, np.eye(2)[y])
    np.testing.assert_array_equal(learner.logits(X), second.logits(X))


def test_who_is_told_of_a_pass_may_ask_for_answers_and_for_an_end(rng):
    X, y = rings(rng, 200)
    answers, learner = [], quick(epochs=50)
    learner.attend(None, lambda done, total: bool(answers.append(learner.predict_proba(X[:3]))) or done == 2)
    learner.fit(X, np.eye(2)[y])
    assert len(answers) == 2 and answers[0].shape == (3, 2)


def test_ctrl_c_is_not_swallowed(rng):
    from skorch.callbacks import Callback

    class Impatient(Callback):
        def on_epoch_end(self, net, **_):
            raise KeyboardInterrupt

    X, y = rings(rng, 100)
    with pytest.raises(KeyboardInterrupt):
        quick(callbacks=[Impatient()]).fit(X, np.eye(2)[y])


def test_augmented_inputs_are_what_is_learnt_from(rng):
    """Turned round by it, a classifier is right about turned inputs, and wrong about others."""
    X = rng.normal(size=(300, 1)) + np.repeat([[-3.0], [3.0]], 150, axis=0)
    y = np.repeat([0, 1], 150)
    learner = quick(augment=lambda x: -x).fit(X, np.eye(2)[y])
    assert error(learner, X, y) > 0.9


def test_copies_of_an_input_are_one_row_with_the_same_loss(rng):
    X, targets = rng.normal(size=(5, 3)), rng.dirichlet(np.ones(4), size=40)
    rows = rng.integers(5, size=40)
    rows[:5] = np.arange(5)
    merged, weighted = merged_copies(X[rows], targets)
    logp = np.log(rng.dirichlet(np.ones(4), size=5))
    place = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in merged]
    whole = -np.mean(np.sum(targets * logp[rows], axis=1))
    assert -np.mean(np.sum(weighted * logp[place], axis=1)) == pytest.approx(whole, rel=1e-12)


# ---------------------------------------------------------------- batches and context


def test_a_batch_is_never_of_one_point(rng):
    units = Units.of(rng.normal(size=(17, 2)), None, True)
    sizes = [len(x["x"]) for x, _ in Points(rng.normal(size=(17, 2)), np.zeros((17, 2)), units, 8, rng)]
    assert sizes == [8, 9]


def test_batch_normalisation_learns_from_batches_and_refuses_a_single_point(rng):
    X, y = rings(rng, 129)

    def net():
        return nn.Sequential(nn.Linear(2, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))

    learner = TorchLearner(net(), epochs=60, weight_decay=0.0, batch_size=32).fit(X, np.eye(2)[y])
    assert error(learner, X, y) < 0.2
    with pytest.raises(DataError, match="a single point"):
        TorchLearner(net(), epochs=1, weight_decay=0.0).fit(X[:1], np.eye(2)[y[:1]])


def test_images_keep_their_shape():
    seen = []

    class Looks(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(12, 3)

        def forward(self, x):
            seen.append(tuple(x.shape[1:]))
            return self.head(x.flatten(1))

    X = np.arange(120.0).reshape(10, 12)
    TorchLearner(Looks(), input_shape=(1, 3, 4), epochs=1, weight_decay=0.0).fit(X, np.eye(3)[[0] * 10])
    assert set(seen) == {(1, 3, 4)}
    with pytest.raises(DataError, match=r"input_shape=\(1, 5, 5\).*12 columns"):
        TorchLearner(Looks(), input_shape=(1, 5, 5)).fit(X, np.eye(3)[[0] * 10])
    with pytest.raises(DataError, match="square grey images"):
        quick("cnn").fit(X, np.eye(3)[[0] * 10])


def test_every_point_is_in_one_stretch_and_no_stretch_leaves_its_sequence():
    found = spans(np.array([130, 1, 64]), size=64, context=5)
    covered = np.concatenate([np.arange(first, last) for _, first, last, _ in found])
    np.testing.assert_array_equal(covered, np.arange(195))
    ends = np.cumsum([130, 1, 64])
    of = np.searchsorted(ends, found, side="right")
    assert (of[:, 0] == of[:, 1]).all() and (found[:, 3] <= ends[of[:, 1]]).all()


def test_stretches_with_context_read_as_whole_sequences_do(rng):
    """What lies beyond the context changes nothing; padding never does."""
    torch.manual_seed(0)
    module = TCN(3, 4).eval()
    lengths = np.array([200, 7, 40, 1])  # three are shorter than a stretch, one than the context
    points = Sequences(rng.normal(size=(lengths.sum(), 3)), lengths)
    learner = TorchLearner(module, context=TCN.context, standardise=False, epochs=1, weight_decay=0.0)
    learner.settings = replace(learner.settings, predict_stretch=50)
    learner.fit_sequences(points, np.full((points.n_points, 4), 0.25))
    with torch.no_grad():
        whole = [learner.module_(torch.tensor(part[None], dtype=torch.float32))[0] for part in points]
    np.testing.assert_allclose(learner.logits_of_sequences(points), torch.cat(whole), rtol=1e-3, atol=1e-5)


def test_context_tells_what_single_points_cannot(rng):
    """The label is the sign of the point before: no reader of single points can know it."""
    lengths = np.array([300, 200, 5, 100])
    X = rng.choice([-1.0, 1.0], size=(lengths.sum(), 1))
    y = (np.roll(X[:, 0], 1) > 0).astype(int)
    points = Sequences(X, lengths)
    starts = np.cumsum(lengths) - lengths
    inner = ~np.isin(np.arange(len(X)), starts)
    learner = quick("tcn", epochs=60).fit_sequences(points, np.eye(2)[y])
    read = learner.predict_sequences(points).argmax(axis=1)
    assert np.mean(read[inner] != y[inner]) < 0.02
    assert Capability.CONTEXT in learner.capabilities and Capability.CROSS_FITTING not in learner.capabilities


def test_a_recurrent_reader_needs_no_mask(rng):
    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.GRU(1, 8, batch_first=True)
            self.head = nn.Linear(8, 2)

        def forward(self, x):
            return self.head(self.body(x)[0])

    lengths = np.array([80, 3])
    points = Sequences(rng.normal(size=(83, 1)), lengths)
    learner = TorchLearner(Reader, context=4, epochs=2, weight_decay=0.0)
    learner.fit_sequences(points, np.full((83, 2), 0.5))
    assert learner.predict_sequences(points).shape == (83, 2)


def test_a_sequence_shorter_than_the_context_is_read_with_what_there_is(rng):
    """Of three points the neighbours are the other two, in lessons as in reading; of one there are none."""
    lengths = np.array([40, 3, 1])
    X = rng.choice([-1.0, 1.0], size=(44, 1))
    points, y = Sequences(X, lengths), (X[:, 0] > 0).astype(int)
    learner = quick("tcn", context=15, epochs=60).fit_sequences(points, np.eye(2)[y])
    np.testing.assert_array_equal(learner.predict_sequences(points).argmax(axis=1), y)
    short = Sequences(X[40:43], np.array([3]))
    alone = learner.predict_sequences(short)
    np.testing.assert_allclose(learner.predict_sequences(points)[40:43], alone, rtol=1e-4, atol=1e-6)


def test_a_module_that_cannot_read_a_short_sequence_gets_a_sentence(rng):
    class Mirrors(nn.Module):
        """Reflects what it pads with, for which a stretch must be longer than the padding."""

        def __init__(self):
            super().__init__()
            self.layer = nn.Conv1d(2, 2, 9, padding=4, padding_mode="reflect")

        def forward(self, x):
            return self.layer(x.transpose(1, 2)).transpose(1, 2)

    points = Sequences(rng.normal(size=(43, 2)), np.array([40, 3]))
    learner = quick(Mirrors, context=4, epochs=1, batch_size=64)
    learner.fit_sequences(Sequences(points.data[:40], np.array([40])), np.full((40, 2), 0.5))
    with pytest.raises(DataError, match=r"shape \(1, 3, 2\), stretches of any length.*padding"):
        learner.predict_sequences(Sequences(points.data[40:], np.array([3])))


def test_padding_stays_zero_whatever_an_augmentation_adds(rng):
    seen = []

    class Looks(nn.Linear):
        def forward(self, x, mask=None):
            seen.append((x.detach().clone(), mask.clone()))
            return super().forward(x)

    points = Sequences(rng.normal(size=(12, 2)), np.array([9, 3]))
    learner = quick(
        Looks(2, 2), context=1, epochs=1, batch_size=128, augment=lambda x: x + 1, input_loss="consistency"
    )
    learner.fit_sequences(points, np.full((12, 2), 0.5))
    assert all(mask[1].sum() == 3 or mask[0].sum() == 3 for _, mask in seen)
    assert not any(x[~mask].any() for x, mask in seen)


def test_padding_of_a_batch_is_zero_and_masked(rng):
    points = Sequences(rng.normal(size=(12, 2)), np.array([9, 3]))
    units = Units.of(points.data, None, False)
    ((inputs, targets),) = Stretches(points, np.ones((12, 5)), units, size=10, context=2, n_stretches=2)
    assert inputs["mask"].sum(dim=1).tolist() == [9, 3]
    assert not inputs["x"][1, 3:].any() and not targets[1, 3:].any()


# ---------------------------------------------------------------- the inputs alone


@pytest.mark.parametrize("loss", ["consistency", "reconstruction", Consistency(), Reconstruction(drop=0.5)])
def test_an_input_loss_is_learnt_beside(rng, loss):
    X, y = rings(rng)
    learner = quick(input_loss=loss, pretrain_epochs=2).fit(X, np.eye(2)[y])
    assert error(learner, X, y) < 0.05


def test_a_users_own_input_loss_is_asked(rng):
    """A term that wants every logit at zero leaves nothing else to learn."""
    X, y = rings(rng, 200)
    learner = quick(input_loss=lambda module, x: module(x).square().mean(), input_weight=1e4)
    assert np.abs(learner.fit(X, np.eye(2)[y]).logits(X)).max() < 0.1


def test_consistency_is_the_divergence_of_two_answers(rng):
    module, x = MLP(3, 4, width=5), torch.tensor(rng.normal(size=(6, 3)), dtype=torch.float32)
    value = Consistency(augment=lambda z: z + 1)(module, x)
    p, q = (torch.softmax(module(each), dim=1) for each in (x, x + 1))
    expected = (p * (p / q).log()).sum(dim=1).mean()
    assert value.item() == pytest.approx(expected.item(), rel=1e-4)
    assert Consistency(augment=lambda z: z)(module, x).item() == pytest.approx(0.0, abs=1e-7)


def test_consistency_of_stretches_counts_only_points_that_are_there(rng):
    module, x = TCN(3, 4, width=5), torch.tensor(rng.normal(size=(1, 6, 3)), dtype=torch.float32)
    alone = Consistency(augment=lambda z: z + 1)(module, x, mask=torch.ones(1, 6, dtype=torch.bool))
    padded = torch.cat([x, torch.zeros(1, 4, 3)], dim=1)
    mask = torch.arange(10)[None] < 6
    found = Consistency(augment=lambda z: z + 1)(module, padded, mask=mask)
    assert found.item() == pytest.approx(alone.item(), rel=1e-5)


def test_pretraining_lowers_what_it_is_asked_to(rng):
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 16))
    measured = []

    def own(module, x):
        value = (module.body(x)[:, :16] - x).square().mean()
        measured.append(value.item())
        return value

    learner = TorchLearner("mlp", input_loss=own, pretrain_epochs=30, epochs=1, weight_decay=0.0)
    learner.fit(X, np.full((300, 2), 0.5))
    assert np.mean(measured[60:90]) < 0.8 * measured[0]


# ---------------------------------------------------------------- what is refused


def test_a_wrong_number_of_outputs_gets_a_sentence(rng):
    X, y = rings(rng, 50)
    with pytest.raises(DataError, match=r"one for each of the 2 labels.*\(50, 3\)"):
        quick(nn.Linear(2, 3)).fit(X, np.eye(2)[y])


def test_nan_logits_get_a_sentence(rng):
    class Broken(nn.Linear):
        def forward(self, x):
            return super().forward(x) if self.training else super().forward(x) / 0

    X, y = rings(rng, 50)
    learner = quick(Broken(2, 2), epochs=1).fit(X, np.eye(2)[y])
    with pytest.raises(DataError, match=r"finite logits.*50 of 50"):
        learner.predict_proba(X)


def test_an_exploding_loss_gets_a_sentence(rng):
    X, y = rings(rng, 300)
    with pytest.raises(ParameterError, match=r"loss of a network must stay finite.*Lower lr"):
        quick(lr=1e30, standardise=False).fit(1e20 * X, np.eye(2)[y])


def test_what_is_no_module_gets_a_sentence(rng):
    X, y = rings(rng, 50)
    with pytest.raises(DataTypeError, match=r"must be an nn\.Module"):
        TorchLearner("transformer").fit(X, np.eye(2)[y])
    with pytest.raises(DataTypeError, match="input_loss must be"):
        quick(input_loss=3).fit(X, np.eye(2)[y])
    with pytest.raises(ParameterError, match="attribute `body`"):
        quick(nn.Linear(2, 2), input_loss="reconstruction").fit(X, np.eye(2)[y])


def test_a_module_for_other_inputs_gets_a_sentence(rng):
    X, y = rings(rng, 50)
    with pytest.raises(DataError, match=r"batch of shape \(50, 2\), but it failed.*first layer"):
        quick(nn.Linear(3, 2)).fit(X, np.eye(2)[y])


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"context": -1}, "context must be at least 0, but it is -1"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"weight_decay": -1.0}, "weight_decay must be at least 0"),
        ({"lr": 0.0}, "lr must be positive"),
        ({"pretrain_epochs": 3}, "pretrain_epochs=3 was given without one"),
        ({"device": "gpu"}, "device must be 'auto' or one that torch has here"),
    ],
)
def test_what_no_lesson_can_be_made_with_gets_a_sentence(rng, asked, sentence):
    X, y = rings(rng, 50)
    with pytest.raises(ParameterError, match=sentence):
        quick(**asked).fit(X, np.eye(2)[y])


def test_without_a_lesson_there_is_no_answer():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="no lesson yet"):
        quick().predict_proba(np.zeros((2, 2)))


def test_presets_are_small():
    nets = (MLP(64, 10), CNN((1, 16, 16), 27), TCN(6, 5))
    assert max(sum(each.numel() for each in net.parameters()) for net in nets) < 100_000
    assert CNN((1, 7, 9), 3)(torch.zeros(2, 1, 7, 9)).shape == (2, 3)
