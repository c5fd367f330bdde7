"""What is trained: p_θ, and everything that can stand in its place."""
