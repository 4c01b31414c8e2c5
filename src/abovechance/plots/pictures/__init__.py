"""One function per picture: from results or arrays to a chart."""

__all__: list[str] = []
