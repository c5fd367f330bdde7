"""Two processes give the gradient of one: counts are added up before the logarithm."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

import ventris as vt  # noqa: E402
from ventris.torch import NgramMatchingLoss  # noqa: E402

TRANSITIONS = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.5, 0.1, 0.4]]
PROCESS = """
import sys
import numpy as np, torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
import ventris as vt
from ventris.torch import NgramMatchingLoss

rank, file, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
torch.set_num_threads(1)
distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
data = np.load(f"{folder}/data.npz")
net = torch.nn.Linear(2, 3).double()
net.load_state_dict({"weight": torch.tensor(data["weight"]), "bias": torch.tensor(data["bias"])})
both = DistributedDataParallel(net)
part = slice(0, 30) if rank == 0 else slice(30, None)
loss = NgramMatchingLoss(vt.NgramModel.from_transition_matrix(data["transitions"]), order=2)
value = loss(both(torch.tensor(data["X"][part])))
value.backward()
np.savez(f"{folder}/{rank}.npz", value=value.item(), weight=net.weight.grad, bias=net.bias.grad)
distributed.destroy_process_group()
"""


@pytest.mark.skipif(
    not torch.distributed.is_available() or not torch.distributed.is_gloo_available(),
    reason="this torch was built without gloo",
)
def test_two_processes_give_the_gradient_of_one(tmp_path, rng):
    X, net = rng.normal(size=(70, 2)), torch.nn.Linear(2, 3).double()
    weight, bias = (each.detach().numpy() for each in net.parameters())
    np.savez(tmp_path / "data.npz", X=X, weight=weight, bias=bias, transitions=TRANSITIONS)
    script = tmp_path / "process.py"
    script.write_text(PROCESS)
    environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    running = [
        subprocess.Popen([sys.executable, script, str(rank), tmp_path / "meeting", tmp_path], env=environment)
        for rank in range(2)
    ]
    assert [each.wait(timeout=120) for each in running] == [0, 0]

    loss = NgramMatchingLoss(vt.NgramModel.from_transition_matrix(TRANSITIONS), order=2)
    value = loss(net(torch.tensor(X)), lengths=[30, 40])
    value.backward()
    for rank in range(2):
        found = np.load(tmp_path / f"{rank}.npz")
        assert float(found["value"]) == pytest.approx(value.item(), rel=1e-12)
        np.testing.assert_allclose(found["weight"], net.weight.grad.numpy(), rtol=1e-10, atol=1e-15)
        np.testing.assert_allclose(found["bias"], net.bias.grad.numpy(), rtol=1e-10, atol=1e-15)
    # Averaged gradients of each process's own J would be another one.
    halves = []
    for part in (slice(0, 30), slice(30, None)):
        net.zero_grad()
        loss(net(torch.tensor(X[part]))).backward()
        halves.append(net.weight.grad.numpy().copy())
    assert not np.allclose(np.mean(halves, axis=0), np.load(tmp_path / "0.npz")["weight"], rtol=1e-3)
