"""The papers' studies again, each by its name, beside the values that were published.

A package beside `src` and not in the wheel, on the public names of abovechance alone. In a checkout
`./run reproduce NAME`, `abovechance reproduce NAME` and `python -m replications NAME` are the same
command; from Python: `replications.running.reproduce`.
"""
