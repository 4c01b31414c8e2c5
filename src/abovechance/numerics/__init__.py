"""Arrays in, arrays out: counts, ranks, moments, special distributions."""
