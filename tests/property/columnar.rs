//! parquet and arrow keep every type: `read(write(table)) == table`, for columns of all types, also
//! inside of lists and structs, in one part or in several.

use hs_core::format::{arrow, parquet};
use hs_core::{ColumnInfo, Control, Format, Kind, Loaded, ReadOptions, Source, Table, format};
use polars::prelude::{AnyValue, Column, DataType, Field, Series, TimeUnit, TimeZone};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRunner};

use crate::cases;
use crate::mutation::File;

/// Days of the years 1 and 9999, from 1970.
const DAYS: std::ops::Range<i32> = -719_162..2_932_897;
const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Any type that a column can have, or that can be inside one.
fn dtype(depth: u32, outermost: bool) -> BoxedStrategy<DataType> {
    let zone = |name: &'static str| TimeZone::opt_try_new(Some(name)).expect("a zone");
    let units = [
        TimeUnit::Milliseconds,
        TimeUnit::Microseconds,
        TimeUnit::Nanoseconds,
    ];
    let mut plain = vec![
        DataType::Boolean,
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
        DataType::String,
        DataType::Binary,
        DataType::Date,
        DataType::Time,
        DataType::Decimal(38, 10),
        DataType::Decimal(9, 2),
        DataType::Decimal(18, 0),
        DataType::Null,
    ];
    for unit in units {
        plain.push(DataType::Duration(unit));
        plain.push(DataType::Datetime(unit, None));
        if outermost {
            // Inside of structs, polars' own builder forgets them.
            plain.extend(
                [zone("UTC"), zone("Europe/Paris")].map(|zone| DataType::Datetime(unit, zone)),
            );
        }
    }
    let plain = select(plain);
    if depth == 0 {
        return plain.boxed();
    }
    let list = dtype(depth - 1, false).prop_map(|inside| DataType::List(Box::new(inside)));
    let fields = vec(dtype(depth - 1, false), 1..3).prop_map(|inside| {
        let names = ["a", "b"].into_iter();
        let fields = names
            .zip(inside)
            .map(|(name, inside)| Field::new(name.into(), inside));
        DataType::Struct(fields.collect())
    });
    prop_oneof![6 => plain, 1 => list, 1 => fields].boxed()
}

/// A value of a type, or none.
fn value(dtype: &DataType) -> BoxedStrategy<AnyValue<'static>> {
    let there: BoxedStrategy<AnyValue<'static>> = match dtype {
        DataType::Boolean => any::<bool>().prop_map(AnyValue::Boolean).boxed(),
        DataType::Int8 => any::<i8>().prop_map(AnyValue::Int8).boxed(),
        DataType::Int16 => any::<i16>().prop_map(AnyValue::Int16).boxed(),
        DataType::Int32 => any::<i32>().prop_map(AnyValue::Int32).boxed(),
        DataType::Int64 => any::<i64>().prop_map(AnyValue::Int64).boxed(),
        DataType::UInt8 => any::<u8>().prop_map(AnyValue::UInt8).boxed(),
        DataType::UInt16 => any::<u16>().prop_map(AnyValue::UInt16).boxed(),
        DataType::UInt32 => any::<u32>().prop_map(AnyValue::UInt32).boxed(),
        DataType::UInt64 => any::<u64>().prop_map(AnyValue::UInt64).boxed(),
        DataType::Float32 => proptest::num::f32::ANY.prop_map(AnyValue::Float32).boxed(),
        DataType::Float64 => proptest::num::f64::ANY.prop_map(AnyValue::Float64).boxed(),
        DataType::String => text()
            .prop_map(|text| AnyValue::StringOwned(text.into()))
            .boxed(),
        DataType::Binary => vec(any::<u8>(), 0..20)
            .prop_map(AnyValue::BinaryOwned)
            .boxed(),
        DataType::Date => DAYS.prop_map(AnyValue::Date).boxed(),
        DataType::Time => {
            let day = MICROS_PER_DAY * 1000;
            let micros = (0..MICROS_PER_DAY).prop_map(|micros| micros * 1000);
            prop_oneof![micros, 0..day, Just(0), Just(day - 1)]
                .prop_map(AnyValue::Time)
                .boxed()
        }
        DataType::Decimal(precision, scale) => {
            let (precision, scale) = (*precision, *scale);
            let most = 10i128.pow(precision as u32) - 1;
            let edges = select(vec![0, 1, -1, most, -most]);
            prop_oneof![-most..=most, edges]
                .prop_map(move |digits| AnyValue::Decimal(digits, precision, scale))
                .boxed()
        }
        DataType::Datetime(unit, zone) => {
            let (unit, zone) = (*unit, zone.clone().map(std::sync::Arc::new));
            moment(unit)
                .prop_map(move |moment| AnyValue::DatetimeOwned(moment, unit, zone.clone()))
                .boxed()
        }
        DataType::Duration(unit) => {
            let unit = *unit;
            moment(unit)
                .prop_map(move |length| AnyValue::Duration(length, unit))
                .boxed()
        }
        DataType::List(inside) => {
            let inside = (**inside).clone();
            vec(value(&inside), 0..4)
                .prop_map(move |values| AnyValue::List(series("", &values, &inside)))
                .boxed()
        }
        DataType::Struct(fields) => {
            let fields = fields.clone();
            let values: Vec<_> = fields.iter().map(|field| value(field.dtype())).collect();
            values
                .prop_map(move |values| AnyValue::StructOwned(Box::new((values, fields.clone()))))
                .boxed()
        }
        _ => Just(AnyValue::Null).boxed(),
    };
    weighted(0.8, there)
        .prop_map(|value| value.unwrap_or(AnyValue::Null))
        .boxed()
}

fn text() -> impl Strategy<Value = String> {
    let special = [
        "",
        " ",
        "\0",
        "a\0b",
        "00042",
        "\u{feff}",
        "a text longer than a view holds",
    ];
    prop_oneof![
        select(special.to_vec()).prop_map(str::to_owned),
        "\\PC{0,20}"
    ]
}

/// A point or length of time; half of them are whole microseconds.
fn moment(unit: TimeUnit) -> BoxedStrategy<i64> {
    let days = i64::from(DAYS.start) * MICROS_PER_DAY..i64::from(DAYS.end) * MICROS_PER_DAY;
    match unit {
        TimeUnit::Milliseconds => days.prop_map(|micros| micros.div_euclid(1000)).boxed(),
        TimeUnit::Microseconds => days.boxed(),
        TimeUnit::Nanoseconds => prop_oneof![
            // 1678 to 2261
            (-9_214_560_000_000_000i64..9_214_646_399_999_999).prop_map(|micros| micros * 1000),
            -9_214_560_000_000_000_000i64..9_214_646_399_999_999_999,
        ]
        .boxed(),
    }
}

fn series(name: &str, values: &[AnyValue<'static>], dtype: &DataType) -> Series {
    Series::from_any_values_and_dtype(name.into(), values, dtype, true)
        .unwrap_or_else(|error| panic!("{dtype}: {error}, of {} values", values.len()))
}

fn column(height: usize) -> impl Strategy<Value = (Kind, Series)> {
    let plain = dtype(2, true).prop_flat_map(move |dtype| {
        let values = prop_oneof![
            5 => vec(value(&dtype), height),
            1 => Just(vec![AnyValue::Null; height]),
        ];
        values.prop_map(move |values| {
            let series = series("", &values, &dtype);
            (Kind::of(series.dtype()), series)
        })
    });
    let category = vec(weighted(0.8, select(vec!["red", "", "blue", "\0"])), height);
    let category = category.prop_map(|values| {
        let values: Vec<AnyValue<'static>> = values
            .into_iter()
            .map(|value| value.map_or(AnyValue::Null, AnyValue::String))
            .collect();
        (Kind::Category, series("", &values, &DataType::String))
    });
    prop_oneof![8 => plain, 1 => category]
}

/// A table whose columns may have two parts, cut at different places.
fn tables() -> impl Strategy<Value = Table> {
    (0usize..12, 0usize..6, any::<bool>()).prop_flat_map(|(height, width, parted)| {
        vec((column(height), 0..=height), width).prop_map(move |columns| {
            let columns = columns.into_iter().enumerate();
            let columns = columns.map(|(number, ((kind, series), cut))| {
                let name = format!("n {number}");
                let mut whole = series.clone();
                if parted {
                    whole = series.slice(0, cut);
                    whole
                        .append(&series.slice(cut as i64, height))
                        .expect("one type");
                }
                (ColumnInfo { name, kind }, Column::from(whole))
            });
            // Without columns, parquet has no rows.
            let height = if width == 0 { 0 } else { height };
            Table::from_columns(height, columns).expect("one height")
        })
    })
}

/// A value free of units: times in nanoseconds, floats by their bits.
fn cell(value: &AnyValue<'_>) -> String {
    let per = |unit: &TimeUnit| match unit {
        TimeUnit::Milliseconds => 1_000_000i128,
        TimeUnit::Microseconds => 1_000,
        TimeUnit::Nanoseconds => 1,
    };
    let list = |values: &Series| {
        let values: Vec<String> = values.iter().map(|value| cell(&value)).collect();
        format!("[{}]", values.join(", "))
    };
    match value {
        AnyValue::Datetime(moment, unit, zone) => {
            let zone = zone.map(|zone| zone.as_str());
            format!("{} {zone:?}", i128::from(*moment) * per(unit))
        }
        AnyValue::DatetimeOwned(moment, unit, zone) => {
            let zone = zone.as_ref().map(|zone| zone.as_str());
            format!("{} {zone:?}", i128::from(*moment) * per(unit))
        }
        AnyValue::Duration(length, unit) => format!("{} long", i128::from(*length) * per(unit)),
        AnyValue::Float64(float) => format!("{:x}", float.to_bits()),
        AnyValue::Float32(float) => format!("{:x} of 32", float.to_bits()),
        AnyValue::List(values) => list(values),
        AnyValue::Struct(_, _, fields) => {
            let values = value._iter_struct_av().map(|value| cell(&value));
            let names = fields.iter().map(Field::name);
            let fields: Vec<String> = names
                .zip(values)
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn cells(column: &Column) -> Vec<String> {
    column
        .as_materialized_series()
        .rechunk()
        .iter()
        .map(|value| cell(&value))
        .collect()
}

fn read(format: Format, bytes: Vec<u8>) -> hs_core::Result<Table> {
    let source = Source::bytes(format!("a.{}", format.name()), bytes)?;
    let loaded = format::read(format, source, &ReadOptions::default(), &Control::default())?;
    match loaded {
        Loaded::Table(table) => Ok(table),
        _ => unreachable!("always a table"),
    }
}

fn written(format: Format, table: &Table) -> hs_core::Result<Vec<u8>> {
    let mut out = Vec::new();
    let control = Control::default();
    match format {
        Format::Parquet => parquet::write(table, &mut out, &control)?,
        _ => arrow::write(table, &mut out, &control)?,
    };
    Ok(out)
}

fn comes_back(format: Format, table: &Table) -> Result<Table, TestCaseError> {
    let failed = |error: hs_core::Error| TestCaseError::fail(format!("{error}: {table:?}"));
    let back = written(format, table)
        .and_then(|bytes| read(format, bytes))
        .map_err(failed)?;
    prop_assert_eq!(back.height(), table.height());
    prop_assert_eq!(back.columns(), table.columns());
    for ((info, was), (_, is)) in table.iter().zip(back.iter()) {
        prop_assert_eq!(cells(is), cells(was), "{:?} {}", info, was.dtype());
    }
    Ok(back)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn parquet_keeps_every_value(table in tables()) {
        comes_back(Format::Parquet, &table)?;
    }

    #[test]
    fn arrow_keeps_every_value_and_type(table in tables()) {
        let back = comes_back(Format::Arrow, &table)?;
        for (was, is) in table.frame().columns().iter().zip(back.frame().columns()) {
            prop_assert_eq!(is.dtype(), was.dtype());
        }
    }
}

/// Small files with columns of many types.
pub fn files(format: Format) -> Vec<File> {
    let mut runner = TestRunner::deterministic();
    let files = (0..6).map(|_| {
        let table = tables().new_tree(&mut runner).expect("a table").current();
        File(written(format, &table).expect("written"))
    });
    files.collect()
}
