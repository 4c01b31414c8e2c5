"""Tables in, results out: columns from files and dataframes, their roles, and export."""

from abovechance.io.arrow_files import batches
from abovechance.io.export import jsonable, to_csv_text, write_text
from abovechance.io.reading import read, read_table
from abovechance.io.roles import Roles, find_roles
from abovechance.io.table import Kind, Table

__all__ = [
    "Kind",
    "Roles",
    "Table",
    "batches",
    "find_roles",
    "jsonable",
    "read",
    "read_table",
    "to_csv_text",
    "write_text",
]
