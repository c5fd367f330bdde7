"""Compiled twins of the hot loops: arrays in, arrays out, nothing imported from the rest of Ventris."""
