"""What Ventris survives: bad input, faults, numerical stress, and a long run. `python -m reliability`."""
