"""Deciphering: from the statistics of codes and a label model to the table p(label | code)."""
