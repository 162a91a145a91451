//! Tables to write: columns of every kind, with the values that go wrong most, and what each column
//! is after a trip through a text format.

use hs_core::{ColumnInfo, Kind, Table};
use polars::prelude::{
    AnyValue, Column as PolarsColumn, DataType, Int64Chunked, IntoSeries, NamedFrom,
    NewChunkedArray, Series, TimeUnit, TimeZone,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::calendar::{Clock, Day, Moment};

/// One value, free of widths and units.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Missing,
    Int(i128),
    /// By its bits: -0.0 is not 0.0.
    Float(u64),
    Bool(bool),
    Text(String),
    Date(i64),
    /// Nanoseconds, and whether it is an instant.
    Moment(i128, bool),
    Time(i64),
}

/// A column before it is written.
#[derive(Clone, Debug)]
pub enum Column {
    Int(Vec<Option<i64>>),
    Unsigned(Vec<Option<u64>>),
    Float(Vec<Option<f64>>),
    Bool(Vec<Option<bool>>),
    /// Holds at least one value that is a text and nothing else.
    Text(Vec<Option<String>>),
    /// Text of digits, at least one of them with a zero in front.
    Codes(Vec<Option<String>>),
    /// Text of whole numbers as they are usually written.
    Digits(Vec<Option<i64>>),
    Date(Vec<Option<Day>>),
    Moments {
        values: Vec<Option<Moment>>,
        instant: bool,
        unit: TimeUnit,
    },
    Time(Vec<Option<Clock>>),
}

/// A csv says nothing about types, and a field that is empty nothing about why. This is all that a
/// csv loses; anything else that does not come back is a fault:
/// - empty text and NaN are missing;
/// - text of whole numbers is whole numbers;
/// - a column of nothing but infinite floats is the texts `inf` and `-inf`;
/// - a column without any value has no type.
pub fn after_csv(column: &Column) -> Vec<Cell> {
    match column {
        Column::Float(values) => {
            let infinite = values.iter().flatten().all(|float| !float.is_finite());
            cells(values, |float| match *float {
                float if float.is_nan() => Cell::Missing,
                float if infinite => Cell::Text(float.to_string()),
                float => Cell::Float(float.to_bits()),
            })
        }
        Column::Text(values) => cells(values, |text| match text.as_str() {
            "" => Cell::Missing,
            text => Cell::Text(text.to_owned()),
        }),
        Column::Digits(values) => cells(values, |int| Cell::Int(i128::from(*int))),
        other => exact(other),
    }
}

/// JSON has no dates and no infinity. This is all that it loses:
/// - days and times are their ISO 8601 texts;
/// - NaN and infinities are null.
pub fn after_json(column: &Column) -> Vec<Cell> {
    match column {
        Column::Float(values) => cells(values, |float| match *float {
            float if float.is_finite() => Cell::Float(float.to_bits()),
            _ => Cell::Missing,
        }),
        Column::Date(values) => cells(values, |day| Cell::Text(day.text())),
        Column::Moments {
            values, instant, ..
        } => cells(values, |moment| Cell::Text(moment.text(*instant))),
        Column::Time(values) => cells(values, |clock| Cell::Text(clock.text())),
        other => exact(other),
    }
}

/// A cell of a workbook is a double, a bool or a text. This is all that it loses, each of it told by the
/// writer but the first:
/// - empty text and whole floats: a blank row at the end is left out, a column of whole floats is ints;
/// - NaN and infinities are missing;
/// - a column with a whole number of more than 15 digits is their digits as text;
/// - instants are their ISO 8601 texts; so are days before 1900-03-01, and then all of their column;
/// - digits beyond the microsecond.
pub fn after_xlsx(column: &Column) -> Vec<Cell> {
    let digits = |numbers: Vec<Option<i128>>| {
        let long = |int: &i128| int.unsigned_abs() >= 1_000_000_000_000_000;
        let text = numbers.iter().flatten().any(long);
        cells(&numbers, |int| {
            if text {
                Cell::Text(int.to_string())
            } else {
                Cell::Int(*int)
            }
        })
    };
    match column {
        Column::Int(values) => digits(values.iter().map(|int| int.map(i128::from)).collect()),
        Column::Unsigned(values) => digits(values.iter().map(|int| int.map(i128::from)).collect()),
        Column::Float(values) => {
            let finite = |float: &&f64| float.is_finite();
            let limit = 9_223_372_036_854_775_808.0;
            let whole = values
                .iter()
                .flatten()
                .filter(finite)
                .all(|float| float.fract() == 0.0 && (-limit..limit).contains(float));
            cells(values, |float| match *float {
                float if !float.is_finite() => Cell::Missing,
                float if whole => Cell::Int(float as i128),
                float => Cell::Float(float.to_bits()),
            })
        }
        Column::Date(values) => {
            let known = values.iter().flatten().all(|day| is_serial(day.number()));
            cells(values, |day| {
                if known {
                    Cell::Date(day.number())
                } else {
                    Cell::Text(day.text())
                }
            })
        }
        Column::Moments {
            values,
            instant: true,
            ..
        } => cells(values, |moment| Cell::Text(moment.text(true))),
        Column::Moments { values, .. } => {
            let all = values.iter().flatten();
            let known = all.clone().all(|moment| is_serial(moment.day.number()));
            let days = all.clone().all(|moment| moment.clock.nanos() < 1000);
            cells(values, |moment| match moment {
                moment if !known && is_serial(moment.day.number()) && moment.clock.nanos() == 0 => {
                    Cell::Text(moment.day.text())
                }
                moment if !known => Cell::Text(moment.text(false)),
                moment if days => Cell::Date(moment.day.number()),
                moment => Cell::Moment(moment.nanos().div_euclid(1000) * 1000, false),
            })
        }
        Column::Time(values) => cells(values, |clock| Cell::Time(clock.nanos() / 1000 * 1000)),
        other => exact(other),
    }
}

/// True for a day from 1900-03-01 on, given as the number of days since 1970-01-01.
fn is_serial(day: i64) -> bool {
    day >= -25_508
}

fn exact(column: &Column) -> Vec<Cell> {
    match column {
        Column::Int(values) => cells(values, |int| Cell::Int(i128::from(*int))),
        Column::Unsigned(values) => cells(values, |int| Cell::Int(i128::from(*int))),
        Column::Float(values) => cells(values, |float| Cell::Float(float.to_bits())),
        Column::Bool(values) => cells(values, |flag| Cell::Bool(*flag)),
        Column::Text(values) | Column::Codes(values) => {
            cells(values, |text| Cell::Text(text.clone()))
        }
        Column::Digits(values) => cells(values, |int| Cell::Text(int.to_string())),
        Column::Date(values) => cells(values, |day| Cell::Date(day.number())),
        Column::Moments {
            values, instant, ..
        } => cells(values, |moment| Cell::Moment(moment.nanos(), *instant)),
        Column::Time(values) => cells(values, |clock| Cell::Time(clock.nanos())),
    }
}

fn cells<T>(values: &[Option<T>], cell: impl Fn(&T) -> Cell) -> Vec<Cell> {
    let cell = |value: &Option<T>| value.as_ref().map_or(Cell::Missing, &cell);
    values.iter().map(cell).collect()
}

/// The values of a column of a table that was read.
pub fn found(column: &PolarsColumn) -> Vec<Cell> {
    let cell = |value: AnyValue<'_>| match value {
        AnyValue::Null => Cell::Missing,
        AnyValue::Int64(int) => Cell::Int(i128::from(int)),
        AnyValue::UInt64(int) => Cell::Int(i128::from(int)),
        AnyValue::Float64(float) => Cell::Float(float.to_bits()),
        AnyValue::Boolean(flag) => Cell::Bool(flag),
        AnyValue::String(text) => Cell::Text(text.to_owned()),
        AnyValue::StringOwned(text) => Cell::Text(text.to_string()),
        AnyValue::Date(days) => Cell::Date(i64::from(days)),
        AnyValue::Datetime(value, unit, zone) => moment(value, unit, zone.is_some()),
        AnyValue::DatetimeOwned(value, unit, zone) => moment(value, unit, zone.is_some()),
        AnyValue::Time(nanos) => Cell::Time(nanos),
        other => panic!("a value of no kind that is written here: {other:?}"),
    };
    let get = |row| cell(column.get(row).expect("the row is there"));
    (0..column.len()).map(get).collect()
}

fn moment(value: i64, unit: TimeUnit, instant: bool) -> Cell {
    let scale = match unit {
        TimeUnit::Nanoseconds => 1,
        TimeUnit::Microseconds => 1000,
        TimeUnit::Milliseconds => 1_000_000,
    };
    Cell::Moment(i128::from(value) * scale, instant)
}

/// The table of these columns.
pub fn table(columns: &[(String, Column)]) -> Table {
    let height = columns.first().map_or(0, |(_, column)| exact(column).len());
    let made = columns.iter().map(|(name, column)| {
        let series = series(column);
        let kind = Kind::of(series.dtype());
        let info = ColumnInfo {
            name: name.clone(),
            kind,
        };
        (info, PolarsColumn::from(series))
    });
    Table::from_columns(height, made).expect("the columns are of one height")
}

fn series(column: &Column) -> Series {
    let name = || "x".into();
    match column {
        Column::Int(values) => Series::new(name(), values),
        Column::Unsigned(values) => Series::new(name(), values),
        Column::Float(values) => Series::new(name(), values),
        Column::Bool(values) => Series::new(name(), values),
        Column::Text(values) | Column::Codes(values) => Series::new(name(), values),
        Column::Digits(values) => {
            let texts = values.iter().map(|int| int.map(|int| int.to_string()));
            Series::new(name(), texts.collect::<Vec<_>>())
        }
        Column::Date(values) => {
            let days = values.iter().map(|day| day.map(|day| day.number() as i32));
            cast(
                &Series::new(name(), days.collect::<Vec<_>>()),
                &DataType::Date,
            )
        }
        Column::Moments {
            values,
            instant,
            unit,
        } => {
            let scale = if *unit == TimeUnit::Nanoseconds {
                1
            } else {
                1000
            };
            let numbers = values.iter().map(|moment| {
                moment.map(|moment| i64::try_from(moment.nanos() / scale).expect("in range"))
            });
            let zone = instant.then_some(TimeZone::UTC);
            let numbers = Int64Chunked::from_iter_options(name(), numbers);
            numbers.into_datetime(*unit, zone).into_series()
        }
        Column::Time(values) => {
            let nanos = values.iter().map(|clock| clock.map(Clock::nanos));
            cast(
                &Series::new(name(), nanos.collect::<Vec<_>>()),
                &DataType::Time,
            )
        }
    }
}

fn cast(series: &Series, dtype: &DataType) -> Series {
    series.cast(dtype).expect("numbers are days and times")
}

/// Up to six columns of up to twenty rows, with names that differ.
pub fn columns() -> impl Strategy<Value = Vec<(String, Column)>> {
    (1usize..20)
        .prop_flat_map(|height| vec((name(), column(height)), 1..6))
        .prop_map(|columns| {
            let numbered = columns.into_iter().enumerate();
            numbered
                .map(|(at, (name, column))| (format!("{name}{at}"), column))
                .collect()
        })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("x".to_owned()), "[a-z][a-z ,;|\"\t\n\ré東]{0,5}"]
}

fn column(height: usize) -> impl Strategy<Value = Column> {
    let unit = |unit| {
        if unit == TimeUnit::Nanoseconds {
            1
        } else {
            1000
        }
    };
    let moments = move |time_unit, first, last| {
        let moment = (Day::within(first, last), Clock::every(unit(time_unit)));
        let moment = moment.prop_map(|(day, clock)| Moment { day, clock });
        (gaps(moment, height), any::<bool>()).prop_map(move |(values, instant)| Column::Moments {
            values,
            instant,
            unit: time_unit,
        })
    };
    prop_oneof![
        2 => gaps(int(), height).prop_map(Column::Int),
        1 => gaps(prop_oneof![any::<u64>(), Just(u64::MAX), Just(0)], height).prop_map(Column::Unsigned),
        2 => gaps(float(), height).prop_map(Column::Float),
        1 => gaps(any::<bool>(), height).prop_map(Column::Bool),
        3 => (gaps(cell_text(), height), any::<Index>(), plain_text()).prop_map(|(mut values, at, text)| {
            let at = at.index(values.len());
            values[at] = Some(text);
            Column::Text(values)
        }),
        1 => (gaps("[0-9]{1,12}", height), any::<Index>(), "0[0-9]{1,6}").prop_map(|(mut values, at, code)| {
            let at = at.index(values.len());
            values[at] = Some(code);
            Column::Codes(values)
        }),
        1 => gaps(int(), height).prop_map(Column::Digits),
        1 => gaps(Day::within(1, 9999), height).prop_map(Column::Date),
        1 => moments(TimeUnit::Microseconds, 1, 9999),
        1 => moments(TimeUnit::Nanoseconds, 1678, 2261),
        1 => gaps(Clock::every(1), height).prop_map(Column::Time),
    ]
}

/// So many values, some of them missing.
fn gaps<T: std::fmt::Debug + Clone>(
    value: impl Strategy<Value = T> + Clone,
    height: usize,
) -> impl Strategy<Value = Vec<Option<T>>> {
    prop_oneof![
        5 => vec(weighted(0.8, value.clone()), height),
        2 => vec(value.prop_map(Some), height),
        1 => Just(vec![None; height]),
    ]
}

fn int() -> impl Strategy<Value = i64> + Clone {
    let edges = [
        0,
        -1,
        1,
        999,
        1000,
        i64::MAX,
        i64::MIN,
        (1 << 53) + 1,
        -(1 << 53) - 1,
    ];
    prop_oneof![any::<i64>(), -2000i64..2000, select(edges.to_vec())]
}

fn float() -> impl Strategy<Value = f64> + Clone {
    let edges = [
        0.0,
        -0.0,
        1.0,
        0.1,
        1e15,
        1e16,
        1e17,
        1e22,
        1e23,
        -1e300,
        5e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::EPSILON,
        1e-5,
        1e-7,
        1.234,
        1234.567,
        9_007_199_254_740_993.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    prop_oneof![proptest::num::f64::ANY, -1e6..1e6, select(edges.to_vec())]
}

/// Nothing but a text, whatever rules for types there may be: two words with letters of both ends
/// of the alphabet.
fn plain_text() -> impl Strategy<Value = String> + Clone {
    "(the|a quick|some) [g-z]{3,8}"
}

/// Any text, many of them with what csv and JSON treat as special or what looks like something else.
fn cell_text() -> impl Strategy<Value = String> + Clone {
    let looks = [
        "",
        " ",
        "  x",
        "x ",
        "\tx",
        "NA",
        "null",
        "NaN",
        "None",
        "-",
        "#N/A",
        "true",
        "FALSE",
        "inf",
        "1",
        "-0",
        "00042",
        "1e5",
        "1.50",
        "1,234",
        "1.234,5",
        "+33612345678",
        "2026-01-31",
        "31/12/2026",
        "2026-01-31T10:00:00Z",
        "10:00",
        "18446744073709551616",
        "=1+1",
        "{}",
        "[1]",
        "\"",
        "\"\"",
        "a\"b",
        "\"a\",\"b\"",
        "a,b",
        "a;b",
        "a|b",
        "a\tb",
        "a\nb",
        "a\r\nb",
        "\r",
        "\n",
        "#",
        "sep=;",
        "\\",
        "\\N",
        "\u{a0}x\u{a0}",
        "\u{200b}",
        "\u{2028}",
        "e\u{301}",
        "\u{feff}x",
        "a\0b",
        "a long text with \u{1} in it",
    ];
    let looks = looks.map(str::to_owned).to_vec();
    prop_oneof![
        2 => select(looks),
        2 => "[a-z0-9 ,;|\"'\t\n\r\\\\é€東😀.:/#=-]{0,10}",
        1 => "[a-z]{1,12}",
        1 => "\\PC{0,12}",
    ]
}
