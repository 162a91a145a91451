//! `hs compare`: what differs between two files. The exit code says whether anything does.

use hs_core::op::compare::{CompareOptions, Tolerance, compare};
use hs_core::{Control, Error, ErrorKind, Result};

use crate::args::CompareArgs;
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the files from being loaded or compared; [`Failure::Differs`] when they differ.
pub fn run(args: &CompareArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let options = CompareOptions {
        tol: tolerance("tol", &args.tol)?,
        rtol: tolerance("rtol", &args.rtol)?,
        ignore: args.ignore.clone(),
        only: args.only.clone(),
    };
    let [a, b] = input::two([&args.a, &args.b], &args.part, control)?;
    let mut compared = compare(&a, &b, &args.key, &options, control)?;
    input::retell(&mut compared.table, [a, b]);
    output.give(&Answer::Result {
        table: &compared.table,
        shares: &[],
    })?;
    if compared.differs {
        return Err(Failure::Differs);
    }
    Ok(())
}

/// A number for all columns, or one for each of some: `COLUMN=NUMBER`.
fn tolerance(option: &str, arguments: &[String]) -> Result<Option<Tolerance>> {
    let wrong = |found: &str| {
        let message = format!("{option}: expected a number or column=number, found {found:?}");
        Error::new(ErrorKind::Argument, message)
            .hint("one number for all columns stands alone; repeat the option for more columns")
    };
    if let [all] = arguments
        && let Ok(size) = all.parse()
    {
        return Ok(Some(Tolerance::All(size)));
    }
    let columns: Vec<(String, f64)> = arguments
        .iter()
        .map(|argument| {
            // The name itself may hold the sign.
            let pair = argument.rsplit_once('=');
            let pair = pair.and_then(|(name, size)| Some((name.to_owned(), size.parse().ok()?)));
            pair.ok_or_else(|| wrong(argument))
        })
        .collect::<Result<_>>()?;
    for (index, (name, _)) in columns.iter().enumerate() {
        if columns[..index].iter().any(|(other, _)| other == name) {
            let message = format!("{option}: expected each column once, found {name:?} twice");
            return Err(Error::new(ErrorKind::Argument, message));
        }
    }
    Ok((!columns.is_empty()).then_some(Tolerance::Columns(columns)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_for_all_columns_or_for_some() {
        let parsed = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            tolerance("tol", &arguments)
        };
        assert_eq!(parsed(&[]).unwrap(), None);
        assert_eq!(parsed(&["0.01"]).unwrap(), Some(Tolerance::All(0.01)));
        assert_eq!(
            parsed(&["a=b=1e-6", "c=2"]).unwrap(),
            Some(Tolerance::Columns(vec![
                ("a=b".to_owned(), 1e-6),
                ("c".to_owned(), 2.0)
            ]))
        );
        for wrong in [
            &["x"][..],
            &["a=x"],
            &["1", "2"],
            &["1", "a=2"],
            &["a=1", "a=2"],
        ] {
            assert!(parsed(wrong).is_err(), "{wrong:?}");
        }
    }
}
