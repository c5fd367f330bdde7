"""Names people search for: the first line of a docstring ends with the field's term, the paper is cited."""

from __future__ import annotations

import re

import pytest

from ventris.classifiers import copies, fitting, penalty
from ventris.deciphering import annealing, ciphertext, descent, expectation, race, starts
from ventris.diagnostics import doctor, evidence, goodness
from ventris.inference import decoding, score
from ventris.label_model import adaptation
from ventris.route import cross_reading, refine, steps
from ventris.solvers import restarts

TERMS = {
    "Weisfeiler–Leman refinement": starts.signature,
    "index of coincidence": starts.own_features,
    "linear assignment": starts.signature_key,
    "frequency analysis": starts.ranked_key,
    "multi-start search": race.race,
    "Adam, cosine annealing": descent.descend,
    "L-BFGS": descent.settle,
    "quadratic assignment by 2-exchange": descent.relabel_by_swaps,
    "cross-entropy": descent.table_cost,
    "EM, Baum–Welch": expectation.read_and_learn,
    "forward algorithm": expectation.table_score,
    "simulated annealing": annealing.ANNEALING.search,
    "sufficient statistics": ciphertext.PairStatistics,
    "total variation": evidence.output_use,
    "total correlation": evidence.total_correlation,
    "permutation test": evidence.shuffled_null,
    "parametric bootstrap": goodness.goodness_of_fit,
    "maximum a posteriori, Dirichlet prior": adaptation.map_model,
    "mutual information": doctor.pair_information,
    "forward–backward": score.infer_labels,
    "Viterbi": decoding.best_path,
    "linear discriminant analysis": fitting.class_means_fit,
    "multinomial logistic regression": fitting.distil,
    "L2 regularisation, cross-validation": penalty.choose_l2,
    "majority vote": copies.one_label_an_input,
    "self-training": refine.refine,
    "cross-fitting": cross_reading.CrossReading,
    "temperature scaling": cross_reading.best_sharpness,
    "distillation": steps.Distil,
    "k-means": steps.Encode,
    "random restarts": restarts.restart,
}
CITED = {
    starts.signature: {1968, 2011},
    starts.own_features: {1922},
    starts.signature_key: {1955, 2016},
    descent.descend: {2015, 2017},
    descent.settle: {1995},
    descent.relabel_by_swaps: {1957},
    expectation.read_and_learn: {1970, 1977},
    annealing.ANNEALING.search: {1983},
    evidence.total_correlation: {1960},
}


@pytest.mark.parametrize(("term", "thing"), TERMS.items(), ids=TERMS)
def test_the_first_line_ends_with_the_term(term, thing):
    first = thing.__doc__.splitlines()[0]
    assert first.endswith(f"({term}).")


@pytest.mark.parametrize(("thing", "years"), CITED.items(), ids=[thing.__name__ for thing in CITED])
def test_a_method_that_has_a_paper_cites_it(thing, years):
    _, _, references = thing.__doc__.partition("References\n")
    assert {int(year) for year in re.findall(r"\((1[89]\d\d|20\d\d)\)", references)} == years
