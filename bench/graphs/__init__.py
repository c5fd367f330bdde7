"""Labels on a graph and labels that last: rooms from radio readings, states of a machine."""
