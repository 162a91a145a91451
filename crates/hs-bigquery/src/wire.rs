//! What replies hold, read with tolerance: what is missing is `None`, what is new is passed over.
//!
//! The client's own models do not read a dry run whose schema has a type they do not know, such as RANGE.

use serde_json::Value;

/// A job as the service tells of it.
#[derive(Clone, Debug, Default)]
pub struct Job(pub Value);

impl Job {
    /// Where it runs.
    pub fn location(&self) -> Option<&str> {
        self.text("/jobReference/location")
    }

    /// `PENDING`, `RUNNING` or `DONE`.
    pub fn state(&self) -> Option<&str> {
        self.text("/status/state")
    }

    /// What kind of statement it is, such as `SELECT`.
    pub fn statement(&self) -> Option<&str> {
        self.text("/statistics/query/statementType")
    }

    /// How exact the estimate of a dry run is, in the service's word.
    pub fn accuracy(&self) -> Option<&str> {
        self.text("/statistics/query/totalBytesProcessedAccuracy")
    }

    /// Bytes that are read.
    pub fn processed(&self) -> Option<u64> {
        self.number("/statistics/query/totalBytesProcessed")
            .or_else(|| self.number("/statistics/totalBytesProcessed"))
    }

    /// Bytes that are billed.
    pub fn billed(&self) -> Option<u64> {
        self.number("/statistics/query/totalBytesBilled")
    }

    /// Whether the result was there already.
    pub fn cache_hit(&self) -> Option<bool> {
        self.0.pointer("/statistics/query/cacheHit")?.as_bool()
    }

    /// Rows that were inserted, changed or deleted.
    pub fn changed(&self) -> Option<u64> {
        self.number("/statistics/query/numDmlAffectedRows")
    }

    /// The tables that are read, each once, as `project.dataset.table`.
    pub fn tables(&self) -> Vec<String> {
        let listed = self.0.pointer("/statistics/query/referencedTables");
        let mut tables: Vec<String> = Vec::new();
        for table in listed.and_then(Value::as_array).into_iter().flatten() {
            let part = |name: &str| table.get(name).and_then(Value::as_str).unwrap_or("?");
            let name = format!(
                "{}.{}.{}",
                part("projectId"),
                part("datasetId"),
                part("tableId")
            );
            if !tables.contains(&name) {
                tables.push(name);
            }
        }
        tables
    }

    /// Whether a column of the result holds bytes, also inside of others.
    pub fn has_bytes(&self) -> bool {
        fn in_fields(schema: &Value) -> bool {
            let fields = schema.get("fields").and_then(Value::as_array);
            fields.into_iter().flatten().any(|field| {
                let kind = field.get("type").and_then(Value::as_str);
                kind.is_some_and(|kind| kind.eq_ignore_ascii_case("BYTES")) || in_fields(field)
            })
        }
        self.0
            .pointer("/statistics/query/schema")
            .is_some_and(in_fields)
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.0.pointer(pointer)?.as_str()
    }

    /// A number; the service writes those of 64 bits as text.
    fn number(&self, pointer: &str) -> Option<u64> {
        match self.0.pointer(pointer)? {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_u64(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_odd_is_none() {
        let job = Job(serde_json::json!({
            "statistics": {"totalBytesProcessed": "7", "query": {"totalBytesBilled": 9, "cacheHit": "no",
                "referencedTables": [{"projectId": "p", "datasetId": "d", "tableId": "t"}, 7,
                    {"projectId": "p", "datasetId": "d", "tableId": "t"}]}}
        }));
        assert_eq!(
            (job.processed(), job.billed(), job.cache_hit()),
            (Some(7), Some(9), None)
        );
        assert_eq!(
            (job.state(), job.location(), job.changed()),
            (None, None, None)
        );
        assert_eq!(job.tables(), ["p.d.t", "?.?.?"]);
        assert!(Job::default().tables().is_empty());
    }
}
