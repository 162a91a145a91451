//! The schema of a result: names, types and modes of columns, nested as deep as BigQuery nests. What has an
//! unknown type is text, never an error.

use hs_core::{Error, ErrorKind, Place, Result};

use super::reader::Reader;

/// Records inside each other: BigQuery's own limit.
const DEEPEST: usize = 15;

/// One column, or one field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// As BigQuery names it; a query may give one name to several columns.
    pub name: String,
    /// What one value is.
    pub kind: Type,
    /// True for a list of such values.
    pub repeated: bool,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// INT64.
    Int,
    /// FLOAT64.
    Float,
    /// BOOL.
    Bool,
    /// NUMERIC: 38 digits, 9 of them behind the point.
    Numeric,
    /// BIGNUMERIC: up to 77 digits, 38 of them behind the point.
    BigNumeric,
    /// STRING, and what is kept as its text: GEOGRAPHY, JSON, INTERVAL.
    Text,
    /// BYTES.
    Bytes,
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// DATETIME: a wall clock.
    Datetime,
    /// TIMESTAMP: an instant.
    Timestamp {
        /// True when its declared precision is below a microsecond.
        finer: bool,
    },
    /// RANGE of such values.
    Range(Box<Type>),
    /// RECORD.
    Record(Vec<Field>),
    /// One that came to BigQuery after this was written.
    Unknown(String),
}

/// Reads `{"fields":[...]}`.
pub fn read(reader: &mut Reader<'_>) -> Result<Vec<Field>> {
    let mut fields = Vec::new();
    if reader.null() {
        return Ok(fields);
    }
    let mut more = reader.open(b'{', b'}')?;
    while more {
        match reader.key(&["fields"])? {
            Some(_) => fields = list(reader, 1)?,
            None => reader.skip()?,
        }
        more = reader.more(b'}')?;
    }
    Ok(fields)
}

fn list(reader: &mut Reader<'_>, depth: usize) -> Result<Vec<Field>> {
    let mut fields = Vec::new();
    if reader.null() {
        return Ok(fields);
    }
    let mut more = reader.open(b'[', b']')?;
    while more {
        fields.push(field(reader, depth)?);
        more = reader.more(b']')?;
    }
    Ok(fields)
}

fn field(reader: &mut Reader<'_>, depth: usize) -> Result<Field> {
    let (mut name, mut word, mut element) = (None, None, None);
    let (mut repeated, mut finer) = (false, false);
    let mut inside = Vec::new();
    let start = reader.at();
    let mut more = reader.open(b'{', b'}')?;
    while more {
        let known = [
            "name",
            "type",
            "mode",
            "fields",
            "rangeElementType",
            "timestampPrecision",
        ];
        match reader.key(&known)? {
            Some(0) => name = reader.words()?.map(str::to_owned),
            Some(1) => word = reader.words()?.map(str::to_uppercase),
            Some(2) => {
                let mode = reader.words()?;
                repeated = mode.is_some_and(|mode| mode.eq_ignore_ascii_case("REPEATED"));
            }
            Some(3) if depth > DEEPEST => {
                let message =
                    format!("expected at most {DEEPEST} records inside each other, found more");
                return Err(Error::new(ErrorKind::Format, message)
                    .at(Place::default().column(name.unwrap_or_default())));
            }
            Some(3) => inside = list(reader, depth + 1)?,
            Some(4) => element = range_element(reader)?,
            Some(_) => {
                let digits = reader
                    .words()?
                    .and_then(|digits| digits.parse::<u32>().ok());
                finer = digits.is_some_and(|digits| digits > 6);
            }
            None => reader.skip()?,
        }
        more = reader.more(b'}')?;
    }
    let (Some(name), Some(word)) = (name, word) else {
        return Err(reader.from(start).fault("a column with name and type"));
    };
    let kind = match (word.as_str(), element) {
        ("RECORD" | "STRUCT", _) if !inside.is_empty() => Type::Record(inside),
        ("RANGE", Some(element)) => Type::Range(Box::new(scalar(&element, finer))),
        _ => scalar(&word, finer),
    };
    Ok(Field {
        name,
        kind,
        repeated,
    })
}

/// The type in `{"type":"DATE"}`.
fn range_element(reader: &mut Reader<'_>) -> Result<Option<String>> {
    let mut word = None;
    if reader.null() {
        return Ok(word);
    }
    let mut more = reader.open(b'{', b'}')?;
    while more {
        match reader.key(&["type"])? {
            Some(_) => word = reader.words()?.map(str::to_uppercase),
            None => reader.skip()?,
        }
        more = reader.more(b'}')?;
    }
    Ok(word)
}

/// The names of the API, the older ones of which are those of legacy SQL, and those of SQL.
fn scalar(word: &str, finer: bool) -> Type {
    match word {
        "INTEGER" | "INT64" => Type::Int,
        "FLOAT" | "FLOAT64" => Type::Float,
        "BOOLEAN" | "BOOL" => Type::Bool,
        "NUMERIC" | "DECIMAL" => Type::Numeric,
        "BIGNUMERIC" | "BIGDECIMAL" => Type::BigNumeric,
        "STRING" | "GEOGRAPHY" | "JSON" | "INTERVAL" => Type::Text,
        "BYTES" => Type::Bytes,
        "DATE" => Type::Date,
        "TIME" => Type::Time,
        "DATETIME" => Type::Datetime,
        "TIMESTAMP" => Type::Timestamp { finer },
        _ => Type::Unknown(word.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Vec<Field> {
        read(&mut Reader::new(json)).unwrap()
    }

    fn field(name: &str, kind: Type) -> Field {
        Field {
            name: name.to_owned(),
            kind,
            repeated: false,
        }
    }

    #[test]
    fn both_spellings_in_any_case_and_unknown_ones() {
        let json = r#"{"x":1,"fields":[
            {"name":"a","type":"INTEGER","mode":"NULLABLE"},{"type":"int64","name":"a"},
            {"name":"b","type":"Float64","mode":"SOMETIMES","policyTags":{"names":["x"]}},
            {"name":"c","type":"STRUCT","fields":[{"name":"d","type":"bool","mode":"repeated"}],"mode":"REPEATED"},
            {"name":"e","type":"RANGE","rangeElementType":{"type":"TIMESTAMP"}},
            {"name":"f","type":"TIMESTAMP","timestampPrecision":"12"},
            {"name":"g","type":"TIMESTAMP","timestampPrecision":6},
            {"name":"h","type":"VECTOR"},{"name":"i","type":"RECORD"},{"name":"j","type":"RANGE"}]}"#;
        let mut inside = field("d", Type::Bool);
        inside.repeated = true;
        let mut record = field("c", Type::Record(vec![inside]));
        record.repeated = true;
        let wanted = vec![
            field("a", Type::Int),
            field("a", Type::Int),
            field("b", Type::Float),
            record,
            field("e", Type::Range(Box::new(Type::Timestamp { finer: false }))),
            field("f", Type::Timestamp { finer: true }),
            field("g", Type::Timestamp { finer: false }),
            field("h", Type::Unknown("VECTOR".to_owned())),
            field("i", Type::Unknown("RECORD".to_owned())),
            field("j", Type::Unknown("RANGE".to_owned())),
        ];
        assert_eq!(fields(json), wanted);
        assert_eq!(fields("{}"), []);
        assert_eq!(fields("null"), []);
    }

    #[test]
    fn fifteen_records_inside_each_other_and_no_more() {
        let schema = |count: usize| {
            let open = r#"{"name":"r","type":"RECORD","fields":["#.repeat(count);
            let leaf = r#"{"name":"x","type":"INT64"}"#;
            format!(r#"{{"fields":[{open}{leaf}{}]}}"#, "]}".repeat(count))
        };
        assert!(read(&mut Reader::new(&schema(15))).is_ok());
        let error = read(&mut Reader::new(&schema(16))).unwrap_err();
        let wanted = "column \"r\": expected at most 15 records inside each other, found more";
        assert_eq!(error.to_string(), wanted);
        assert!(read(&mut Reader::new(&schema(50_000))).is_err());
    }

    #[test]
    fn a_column_without_name_or_type_is_an_error() {
        for json in [
            r#"{"name":"a"}"#,
            r#"{"type":"INT64"}"#,
            r#"{"name":null,"type":"INT64"}"#,
        ] {
            let json = format!(r#"{{"fields":[{json}]}}"#);
            let error = read(&mut Reader::new(&json)).unwrap_err().to_string();
            assert!(
                error.contains("expected a column with name and type"),
                "{error}"
            );
        }
    }
}
