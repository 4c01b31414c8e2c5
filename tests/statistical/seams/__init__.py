"""Where a method meets data that its own tables do not hold: answers that once misled.

A module here holds the settings of one topic. Each is a function of one generator that uses the
public face only, so that it runs on any version: `statistical/make_seams.py` measures them all and
puts the figure of the version that failed beside that of the tree at hand.
"""
