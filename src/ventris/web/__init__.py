"""Ventris Studio: the method at work in a browser, served from this machine alone."""
