"""Networks learnt without labels beside the same networks with them: `ventris.torch` measured.

Without torch and skorch these families say so and are not measured.
"""
