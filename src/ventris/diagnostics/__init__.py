"""What can be said about a fit, before and after, without labels."""
