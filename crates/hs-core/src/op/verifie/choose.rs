//! IN and CASE: one of many, row by row.

use polars::prelude::{InitHashMaps, PlHashSet};

use super::evaluate::{Active, Evaluator, compare};
use super::exact;
use super::tree::{Comparison, Node, Type, What};
use super::vector::{Data, Vector, gather};

/// From so many values on, a list is looked up by hash.
const MANY: usize = 8;

impl<'a> Evaluator<'a> {
    pub(super) fn within(&mut self, value: &Node, list: &[Node], active: Active<'_>) -> Vector<'a> {
        let rows = self.batch.rows;
        let value = self.values(value, active);
        if list.len() >= MANY
            && let Some(found) = looked_up(&value, list, rows)
        {
            return found;
        }
        let mut so_far: Option<Vector<'a>> = None;
        for member in list {
            let member = self.values(member, active);
            let equal = compare(Comparison::Equal, &value, &member, rows);
            so_far = Some(match so_far {
                None => equal,
                Some(left) => {
                    let one = left.one && equal.one;
                    let height = if one { 1 } else { rows };
                    let truths = (0..height).map(|row| match (left.truth(row), equal.truth(row)) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (Some(false), Some(false)) => Some(false),
                        _ => None,
                    });
                    Vector::truths(truths, one)
                }
            });
        }
        // Nothing is in an empty list, not even the missing value.
        so_far.unwrap_or_else(|| Vector::one(Data::Bool(vec![false])))
    }

    pub(super) fn case(
        &mut self,
        branches: &[(Node, Node)],
        last: &Node,
        kind: Type,
        active: Active<'_>,
    ) -> Vector<'a> {
        let rows = self.batch.rows;
        let mut open: Vec<bool> = active.map_or_else(|| vec![true; rows], <[bool]>::to_vec);
        // For every row the branch that it takes; all of them also where nothing matters.
        let mut taken = vec![branches.len(); rows];
        let mut results = Vec::with_capacity(branches.len() + 1);
        for (number, (condition, result)) in branches.iter().enumerate() {
            let condition = self.values(condition, Some(&open));
            let mut here = vec![false; rows];
            for row in 0..rows {
                if taken[row] == branches.len() && condition.truth(row) == Some(true) {
                    taken[row] = number;
                    here[row] = open[row];
                    open[row] = false;
                }
            }
            results.push(self.values(result, Some(&here)));
        }
        results.push(self.values(last, Some(&open)));
        self.chosen(&results, &taken, kind, active)
    }

    /// For each row the value of the result that it takes.
    fn chosen(
        &mut self,
        results: &[Vector<'a>],
        taken: &[usize],
        kind: Type,
        active: Active<'_>,
    ) -> Vector<'a> {
        let floats = kind == Type::Float
            || results
                .iter()
                .any(|result| matches!(result.data, Data::Float(_)));
        if floats {
            let values = taken.iter().enumerate();
            let (values, valid) = gather(values.map(|(row, number)| results[*number].float(row)));
            return Vector::rows(Data::Float(values), valid);
        }
        let first = results
            .iter()
            .find(|result| !matches!(result.data, Data::Nothing));
        match first.map(|first| &first.data) {
            None => Vector::nothing(),
            Some(Data::Bool(_)) => {
                let values = taken.iter().enumerate();
                Vector::truths(
                    values.map(|(row, number)| results[*number].truth(row)),
                    false,
                )
            }
            Some(Data::Text(_)) => {
                let texts = taken.iter().enumerate().map(|(row, number)| {
                    let result = &results[*number];
                    match &result.data {
                        Data::Text(values) if result.has(row) => {
                            Some(values[result.at(row)].clone())
                        }
                        _ => None,
                    }
                });
                let (values, valid) = gather(texts);
                Vector::rows(Data::Text(values), valid)
            }
            _ => {
                let scale = |result: &Vector<'_>| match result.data {
                    Data::Exact(_, digits) => digits,
                    _ => 0,
                };
                let digits = results.iter().map(scale).max().unwrap_or_default();
                let values = taken.iter().enumerate().map(|(row, number)| {
                    let result = &results[*number];
                    let Data::Exact(values, from) = &result.data else {
                        return None;
                    };
                    if !result.has(row) {
                        return None;
                    }
                    let value = exact::scaled(values[result.at(row)], *from, digits);
                    if value.is_none() {
                        self.tell_overflow(row, active);
                    }
                    value
                });
                let (values, valid) = gather(values);
                Vector::rows(Data::Exact(values, digits), valid)
            }
        }
    }
}

/// A value in a long list of literals; none when the list is of another kind.
fn looked_up(value: &Vector<'_>, list: &[Node], rows: usize) -> Option<Vector<'static>> {
    let mut missing = false;
    let mut texts: PlHashSet<&str> = PlHashSet::new();
    let mut numbers: PlHashSet<i128> = PlHashSet::new();
    for member in list {
        let What::Literal(literal) = &member.what else {
            return None;
        };
        match (&literal.data, &value.data) {
            (Data::Nothing, _) => missing = true,
            (Data::Text(text), Data::Text(_)) => {
                texts.insert(text[0].as_ref());
            }
            (Data::Exact(number, 0), Data::Exact(_, 0)) => {
                numbers.insert(number[0]);
            }
            _ => return None,
        }
    }
    let height = value.height(rows);
    let truths = (0..height).map(|row| {
        let found = match &value.data {
            _ if !value.has(row) => return None,
            Data::Text(values) => texts.contains(values[value.at(row)].as_ref()),
            Data::Exact(values, _) => numbers.contains(&values[value.at(row)]),
            _ => return None,
        };
        // What is not there may be the missing member.
        if found || !missing { Some(found) } else { None }
    });
    Some(Vector::truths(truths, value.one))
}
