"""J on raw inputs: the paper's own part."""
