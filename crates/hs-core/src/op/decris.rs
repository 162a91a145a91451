//! decris: describe every column of a table in one row.
