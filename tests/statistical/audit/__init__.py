"""A search for settings in which a default answer misleads.

Committed tables show that the settings somebody chose hold. Here settings are drawn at random
from what users have; each is screened with few replications, and what looks wrong is confirmed
with many new ones. `./run audit` runs it; everything follows from its seed.
"""
