"""Doctests of what an extra needs are left alone where the extra is not installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") and find_spec("skorch") else ["src/ventris/torch/*"]
