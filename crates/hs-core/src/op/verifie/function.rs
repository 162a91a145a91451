//! CASE, LIKE, the functions and the aggregates of a condition.

use std::ops::Range;

use sqlparser::ast::{
    CaseWhen, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    UnaryOperator, Value,
};

use super::compile::Compiler;
use super::tree::{Aggregate, Comparison, Node, Summary, Type, What};
use super::types::article;
use super::vector::Vector;
use crate::error::{ErrorKind, Result, close_names, quoted};

const NAMES: [&str; 11] = [
    "length", "lower", "upper", "abs", "round", "coalesce", "count", "sum", "min", "max", "avg",
];

/// What to write instead of functions that other databases have.
fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "year" | "month" | "day" | "quarter" | "date_part" | "date_trunc" | "strftime" => {
            "compare with dates: d BETWEEN '2026-01-01' AND '2026-12-31'"
        }
        "regexp_matches" | "regexp_like" | "regexp" | "rlike" | "starts_with" | "startswith"
        | "ends_with" | "contains" | "strpos" | "instr" => {
            "LIKE has % for any text and _ for one character: code LIKE 'AB%'"
        }
        "ifnull" | "nvl" | "isnull" => "coalesce(a, b)",
        "len" | "char_length" | "character_length" => "length(a)",
        "mean" => "avg(a)",
        "ucase" => "upper(a)",
        "lcase" => "lower(a)",
        _ => return None,
    })
}

impl Compiler<'_> {
    pub(super) fn like(&mut self, expression: &Expr, at: Range<usize>) -> Result<Node> {
        let (Expr::Like {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        }
        | Expr::ILike {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        }) = expression
        else {
            return Err(self.unknown(&at, "LIKE ANY"));
        };
        let value = self.node(expr)?;
        self.expect(&value, &[Type::Text], "text before LIKE")?;
        let pattern = self.node(pattern)?;
        self.expect(&pattern, &[Type::Text], "text behind LIKE")?;
        let escape = match escape_char.as_deref() {
            None => None,
            Some(escape) => {
                let letter = match escape {
                    Expr::Value(value) => match &value.value {
                        Value::SingleQuotedString(text) => one_letter(text),
                        _ => None,
                    },
                    _ => None,
                };
                let Some(letter) = letter else {
                    let message = format!(
                        "expected one character behind ESCAPE, found {}",
                        quoted(&escape.to_string())
                    );
                    return Err(self.fault(ErrorKind::Argument, &self.place(escape), &message));
                };
                Some(letter)
            }
        };
        let like = Node {
            what: What::Like {
                value: Box::new(value),
                pattern: Box::new(pattern),
                escape,
                fold: matches!(expression, Expr::ILike { .. }),
            },
            kind: Type::Bool,
            at: at.clone(),
        };
        Ok(if *negated {
            Node {
                what: What::Not(Box::new(like)),
                kind: Type::Bool,
                at,
            }
        } else {
            like
        })
    }

    pub(super) fn case(
        &mut self,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        last: Option<&Expr>,
        at: Range<usize>,
    ) -> Result<Node> {
        let operand = operand.map(|operand| self.node(operand)).transpose()?;
        let mut branches = Vec::with_capacity(conditions.len());
        let mut kind = Type::Nothing;
        for CaseWhen { condition, result } in conditions {
            let mut condition = self.node(condition)?;
            match &operand {
                None => self.expect(&condition, &[Type::Bool], "a condition behind WHEN")?,
                Some(operand) => {
                    let at = condition.at.clone();
                    let (operand, value) = self.meet(operand.clone(), condition, &at)?;
                    condition = Node {
                        what: What::Compare(Comparison::Equal, Box::new(operand), Box::new(value)),
                        kind: Type::Bool,
                        at,
                    };
                }
            }
            let result = self.node(result)?;
            kind = self.result(kind, &result, "CASE")?;
            branches.push((condition, result));
        }
        let last = match last {
            Some(last) => self.node(last)?,
            None => Node {
                what: What::Literal(Vector::nothing()),
                kind: Type::Nothing,
                at: at.clone(),
            },
        };
        let kind = self.result(kind, &last, "CASE")?;
        Ok(Node {
            what: What::Case(branches, Box::new(last)),
            kind,
            at,
        })
    }

    /// The type of the results so far and one more.
    fn result(&self, so_far: Type, result: &Node, of: &str) -> Result<Type> {
        so_far.with(result.kind).ok_or_else(|| {
            let message = format!(
                "expected results of one type in {of}, found {} and {}",
                so_far.word(),
                result.kind.word()
            );
            self.fault(ErrorKind::Type, &result.at, &message)
        })
    }

    pub(super) fn function(&mut self, function: &Function, at: Range<usize>) -> Result<Node> {
        let name = function.name.to_string().to_lowercase();
        if !NAMES.contains(&name.as_str()) {
            let message = format!("expected a known function, found {}", quoted(&name));
            let close = close_names(&name, NAMES);
            let hint = if let Some(instead) = instead(&name) {
                instead.to_owned()
            } else if close.is_empty() {
                format!("the functions are {}", NAMES.join(", "))
            } else {
                format!("did you mean {}?", close.join(" or "))
            };
            return Err(self.fault(ErrorKind::Argument, &at, &message).hint(hint));
        }
        let plain = function.filter.is_none()
            && function.over.is_none()
            && function.null_treatment.is_none()
            && function.within_group.is_empty()
            && matches!(function.parameters, FunctionArguments::None);
        let FunctionArguments::List(list) = &function.args else {
            return Err(self.unknown(&at, &quoted(&function.to_string())));
        };
        if !plain || !list.clauses.is_empty() {
            return Err(self.unknown(&at, &quoted(&function.to_string())));
        }
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        if distinct && name != "count" {
            return Err(self.unknown(&at, &format!("DISTINCT in {name}: only count has it")));
        }
        let mut arguments = Vec::with_capacity(list.args.len());
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => arguments.push(argument),
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard)
                    if name == "count" && !distinct && list.args.len() == 1 => {}
                other => return Err(self.unknown(&at, &quoted(&other.to_string()))),
            }
        }
        let whole = name == "count" && list.args.len() == 1 && arguments.is_empty();
        if name == "coalesce" && arguments.len() > 1 {
            return self.coalesce(&arguments, at);
        }
        let most = if name == "round" { 2 } else { 1 };
        if !whole && !(1..=most).contains(&arguments.len()) {
            let wanted = if most == 2 {
                "one or two values"
            } else {
                "one value"
            };
            let message = format!("expected {wanted} in {name}(), found {}", arguments.len());
            return Err(self.fault(ErrorKind::Argument, &at, &message));
        }
        match name.as_str() {
            "count" | "sum" | "min" | "max" | "avg" => {
                let label = function.to_string();
                self.aggregate(&name, distinct, arguments.first().copied(), label, at)
            }
            _ => self.scalar(&name, &arguments, at),
        }
    }

    /// The first value that is there, as CASE has it.
    fn coalesce(&mut self, arguments: &[&Expr], at: Range<usize>) -> Result<Node> {
        let mut values = Vec::with_capacity(arguments.len());
        let mut kind = Type::Nothing;
        for argument in arguments {
            let value = self.node(argument)?;
            kind = self.result(kind, &value, "coalesce()")?;
            values.push(value);
        }
        let last = values.pop().unwrap_or_else(|| Node {
            what: What::Literal(Vector::nothing()),
            kind: Type::Nothing,
            at: at.clone(),
        });
        let there = |value: Node| {
            let truth = |what| Node {
                what,
                kind: Type::Bool,
                at: at.clone(),
            };
            let missing = truth(What::IsMissing(Box::new(value.clone())));
            (truth(What::Not(Box::new(missing))), value)
        };
        let branches = values.into_iter().map(there).collect();
        Ok(Node {
            what: What::Case(branches, Box::new(last)),
            kind,
            at: at.clone(),
        })
    }

    fn scalar(&mut self, name: &str, arguments: &[&Expr], at: Range<usize>) -> Result<Node> {
        let value = self.node(arguments[0])?;
        let words = |what: &str| format!("{what} in {name}()");
        let kind = value.kind;
        let (what, kind) = match name {
            "length" | "lower" | "upper" => {
                self.expect(&value, &[Type::Text], &words("text"))?;
                let value = Box::new(value);
                match name {
                    "length" => (What::Length(value), Type::Int),
                    "lower" => (What::Cased(value, false), Type::Text),
                    _ => (What::Cased(value, true), Type::Text),
                }
            }
            "coalesce" => return Ok(value),
            "abs" => {
                self.expect_number(&value, &words("a number"))?;
                (What::Abs(Box::new(value)), kind)
            }
            _ => {
                self.expect_number(&value, &words("a number"))?;
                let digits = match arguments.get(1) {
                    None => 0,
                    Some(digits) => self.digits(digits)?,
                };
                (What::Round(Box::new(value), digits), kind)
            }
        };
        Ok(Node { what, kind, at })
    }

    /// The digits that round() keeps: a number that stands there.
    fn digits(&self, argument: &Expr) -> Result<i32> {
        let (sign, value) = match argument {
            Expr::UnaryOp {
                op: UnaryOperator::Minus,
                expr,
            } => (-1, expr.as_ref()),
            other => (1, other),
        };
        let number = match value {
            Expr::Value(value) => match &value.value {
                Value::Number(written, _) => written.parse::<i32>().ok(),
                _ => None,
            },
            _ => None,
        };
        match number.filter(|number| *number <= 38) {
            Some(number) => Ok(sign * number),
            None => {
                let message = format!(
                    "expected how many digits round() keeps, 0 to 38, found {}",
                    quoted(&argument.to_string())
                );
                Err(self.fault(ErrorKind::Argument, &self.place(argument), &message))
            }
        }
    }

    fn aggregate(
        &mut self,
        name: &str,
        distinct: bool,
        argument: Option<&Expr>,
        label: String,
        at: Range<usize>,
    ) -> Result<Node> {
        if self.inside {
            let message = format!("expected no aggregate inside another, found {name}()");
            return Err(self.fault(ErrorKind::Argument, &at, &message));
        }
        self.inside = true;
        let of = argument.map(|argument| self.node(argument)).transpose();
        self.inside = false;
        let of = of?;
        let given = of.as_ref().map_or(Type::Nothing, |node| node.kind);
        let expected = |words: &str| {
            let message = format!("expected {words} in {name}(), found {}", article(given));
            self.fault(ErrorKind::Type, &at, &message)
        };
        let (function, kind) = match name {
            "count" if distinct => (Summary::CountDistinct, Type::Int),
            "count" => (Summary::Count, Type::Int),
            "sum" | "avg" => {
                let fits = given.is_number()
                    || given == Type::Nothing
                    || name == "sum" && given == Type::Duration;
                if !fits {
                    return Err(expected("numbers"));
                }
                if name == "sum" {
                    (Summary::Sum, given)
                } else {
                    (Summary::Avg, Type::Float)
                }
            }
            _ => {
                if matches!(given, Type::Opaque(_)) {
                    return Err(expected("values that have an order"));
                }
                let function = if name == "min" {
                    Summary::Min
                } else {
                    Summary::Max
                };
                (function, given)
            }
        };
        self.aggregates.push(Aggregate {
            function,
            of,
            kind,
            label,
        });
        Ok(Node {
            what: What::Aggregate(self.aggregates.len() - 1),
            kind,
            at,
        })
    }
}

fn one_letter(text: &str) -> Option<char> {
    let mut letters = text.chars();
    letters.next().filter(|_| letters.next().is_none())
}
