"""An example of a package that extends abovechance by entry points; see pyproject.toml."""
