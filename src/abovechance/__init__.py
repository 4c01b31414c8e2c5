"""Is this predictive model really any good, and how sure are we?"""

__version__ = "0.1.0"
