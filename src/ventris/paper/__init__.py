"""The paper, reproduced, audited and drawn: each result is computed to plain data, then drawn, then told."""
