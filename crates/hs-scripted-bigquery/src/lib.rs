//! A server on this machine that answers as BigQuery does, from a script: for tests, examples and benches.
