"""The house style of every figure; whatever draws itself begins here."""
