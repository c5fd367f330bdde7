"""What a label model is when nobody says otherwise; imports nothing, so that the command line may ask."""

ORDER = 3  # labels in the longest n-gram: what decoding gains beyond three is small, and cells grow C-fold
