"""Tables in, results out: columns from files and dataframes, their roles, and export."""

from abovechance.io.arrow_files import batches
from abovechance.io.columns import Kind
from abovechance.io.export import jsonable, to_csv_text, write_text
from abovechance.io.read import read
from abovechance.io.read_table import read_table
from abovechance.io.roles import Roles, find_roles
from abovechance.io.table import Table

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
