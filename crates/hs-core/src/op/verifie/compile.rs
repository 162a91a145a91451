//! From SQL to a tree with types. With `parse`, `leaf` and `function` the only file that knows sqlparser.

use std::ops::Range;

use sqlparser::ast::{BinaryOperator, Expr, InTarget, Spanned, UnaryOperator};

use super::fault;
use super::parse::{parse, range};
use super::tree::{Aggregate, Comparison, Node, Operator, Type, What};
use super::types::article;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::table::Table;

/// Levels of the tree: what works on it takes room on the stack of a worker for each.
const MOST_DEEP: usize = 100;

/// A condition that was read.
#[derive(Debug)]
pub struct Compiled {
    /// What holds or not.
    pub node: Node,
    /// The aggregates in it.
    pub aggregates: Vec<Aggregate>,
    /// The columns that it looks at row by row, in order of appearance.
    pub columns: Vec<usize>,
    /// True where a list of IN has a NULL: nothing is then known to be outside it.
    pub null_in_list: bool,
}

/// Reads a condition on the columns of a table.
///
/// # Errors
/// [`ErrorKind::Argument`] for what is no condition in SQL as it is known here;
/// [`ErrorKind::Column`] and [`ErrorKind::Type`] for unknown columns and types that do not go together.
pub fn compile(table: &Table, text: &str) -> Result<Compiled> {
    let parsed = parse(text)?;
    let mut compiler = Compiler {
        table,
        text,
        aggregates: Vec::new(),
        columns: Vec::new(),
        null_in_list: false,
        inside: false,
        depth: 0,
    };
    let node = compiler.node(&parsed)?;
    if !matches!(node.kind, Type::Bool | Type::Nothing) {
        let message = format!(
            "expected a condition, true or false, found {}",
            article(node.kind)
        );
        return Err(compiler.fault(ErrorKind::Type, &(0..text.chars().count()), &message));
    }
    Ok(Compiled {
        node,
        aggregates: compiler.aggregates,
        columns: compiler.columns,
        null_in_list: compiler.null_in_list,
    })
}

/// What is known while a condition is read.
pub(super) struct Compiler<'a> {
    pub(super) table: &'a Table,
    text: &'a str,
    pub(super) aggregates: Vec<Aggregate>,
    pub(super) columns: Vec<usize>,
    null_in_list: bool,
    /// True inside an aggregate.
    pub(super) inside: bool,
    /// Levels above the part that is read.
    depth: usize,
}

impl Compiler<'_> {
    pub(super) fn fault(&self, kind: ErrorKind, at: &Range<usize>, message: &str) -> Error {
        fault::at(kind, self.text, at, message)
    }

    pub(super) fn place(&self, expression: &impl Spanned) -> Range<usize> {
        range(self.text, expression.span())
    }

    /// The tree of an expression.
    pub(super) fn node(&mut self, expression: &Expr) -> Result<Node> {
        if self.depth == MOST_DEEP {
            let message = format!("expected at most {MOST_DEEP} levels of operators, found more");
            return Err(Error::new(ErrorKind::Argument, message).hint("make several checks of it"));
        }
        self.depth += 1;
        let node = self.part(expression);
        self.depth -= 1;
        node
    }

    fn part(&mut self, expression: &Expr) -> Result<Node> {
        let at = self.place(expression);
        let make = |what, kind| {
            Ok(Node {
                what,
                kind,
                at: at.clone(),
            })
        };
        match expression {
            Expr::Nested(inner) => self.node(inner),
            Expr::Identifier(name) => self.column(std::slice::from_ref(name), at),
            Expr::CompoundIdentifier(names) => self.column(names, at),
            Expr::Value(value) => self.value(&value.value, at),
            Expr::TypedString(typed) => self.typed(&typed.data_type, &typed.value.value, at),
            Expr::UnaryOp { op, expr } => {
                let inner = self.node(expr)?;
                match op {
                    UnaryOperator::Not => {
                        self.expect(&inner, &[Type::Bool], "a condition behind NOT")?;
                        make(What::Not(Box::new(inner)), Type::Bool)
                    }
                    UnaryOperator::Plus | UnaryOperator::Minus => {
                        self.expect_number(&inner, &format!("a number behind {op}"))?;
                        if *op == UnaryOperator::Plus {
                            return Ok(inner);
                        }
                        let kind = inner.kind;
                        make(What::Negate(Box::new(inner)), kind)
                    }
                    other => Err(self.unknown(&at, &format!("the operator {other}"))),
                }
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right, at),
            Expr::IsNull(inner) => make(What::IsMissing(Box::new(self.node(inner)?)), Type::Bool),
            Expr::IsNotNull(inner) => {
                let missing = make(What::IsMissing(Box::new(self.node(inner)?)), Type::Bool)?;
                make(What::Not(Box::new(missing)), Type::Bool)
            }
            Expr::IsTrue(inner) | Expr::IsNotFalse(inner) => {
                let truth = matches!(expression, Expr::IsTrue(_));
                self.is(inner, truth, !truth, at)
            }
            Expr::IsFalse(inner) | Expr::IsNotTrue(inner) => {
                let truth = matches!(expression, Expr::IsNotTrue(_));
                self.is(inner, truth, truth, at)
            }
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                let (left, right) = self.meet(left, right, &at)?;
                let differ = make(What::Differ(Box::new(left), Box::new(right)), Type::Bool)?;
                if matches!(expression, Expr::IsDistinctFrom(..)) {
                    return Ok(differ);
                }
                make(What::Not(Box::new(differ)), Type::Bool)
            }
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                let value = self.node(expr)?;
                let (low, high) = (self.node(low)?, self.node(high)?);
                let (value_low, low) = self.meet(value.clone(), low, &at)?;
                let (value_high, high) = self.meet(value, high, &at)?;
                let compare = |how, left, right| Node {
                    what: What::Compare(how, Box::new(left), Box::new(right)),
                    kind: Type::Bool,
                    at: at.clone(),
                };
                let both = vec![
                    compare(Comparison::AtLeast, value_low, low),
                    compare(Comparison::AtMost, value_high, high),
                ];
                Ok(negation(*negated, What::And(both), at))
            }
            Expr::In {
                expr,
                target: InTarget::List(list),
                negated,
                ..
            } => {
                let mut value = self.node(expr)?;
                let mut members = Vec::with_capacity(list.len());
                for member in list {
                    let member = self.node(member)?;
                    let (left, member) = self.meet(value, member, &at)?;
                    value = left;
                    members.push(member);
                }
                self.null_in_list |= members.iter().any(|member| member.kind == Type::Nothing);
                Ok(negation(*negated, What::In(Box::new(value), members), at))
            }
            Expr::Like { .. } | Expr::ILike { .. } => self.like(expression, at),
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(operand.as_deref(), conditions, else_result.as_deref(), at),
            Expr::Function(function) => self.function(function, at),
            other => Err(self.unknown(&at, &quoted(&other.to_string()))),
        }
    }

    fn is(&mut self, inner: &Expr, truth: bool, negated: bool, at: Range<usize>) -> Result<Node> {
        let inner = self.node(inner)?;
        self.expect(&inner, &[Type::Bool], "a condition before IS")?;
        Ok(negation(negated, What::Is(Box::new(inner), truth), at))
    }

    /// What SQL has and conditions here have not.
    pub(super) fn unknown(&self, at: &Range<usize>, found: &str) -> Error {
        let message = format!("expected what conditions know, found {found}");
        self.fault(ErrorKind::Argument, at, &message).hint(
            "they know + - * / %, comparisons, AND, OR, NOT, IN (...), BETWEEN, LIKE, IS NULL, CASE, \
             length, lower, upper, abs, round, count, sum, min, max, avg",
        )
    }

    fn binary(
        &mut self,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
        at: Range<usize>,
    ) -> Result<Node> {
        let comparison = match operator {
            BinaryOperator::Eq => Some(Comparison::Equal),
            BinaryOperator::NotEq => Some(Comparison::Unequal),
            BinaryOperator::Lt => Some(Comparison::Less),
            BinaryOperator::LtEq => Some(Comparison::AtMost),
            BinaryOperator::Gt => Some(Comparison::Greater),
            BinaryOperator::GtEq => Some(Comparison::AtLeast),
            _ => None,
        };
        if matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
            return self.junction(left, operator, right, at);
        }
        let arithmetic = match operator {
            BinaryOperator::Plus => Some(Operator::Add),
            BinaryOperator::Minus => Some(Operator::Subtract),
            BinaryOperator::Multiply => Some(Operator::Multiply),
            BinaryOperator::Divide => Some(Operator::Divide),
            BinaryOperator::Modulo => Some(Operator::Remainder),
            _ => None,
        };
        if comparison.is_none() && arithmetic.is_none() {
            return Err(self.unknown(&at, &format!("the operator {operator}")));
        }
        let (left, right) = (self.node(left)?, self.node(right)?);
        if let Some(comparison) = comparison {
            let (left, right) = self.meet(left, right, &at)?;
            return Ok(Node {
                what: What::Compare(comparison, Box::new(left), Box::new(right)),
                kind: Type::Bool,
                at,
            });
        }
        let operator = arithmetic.unwrap_or(Operator::Add);
        self.arithmetic(operator, left, right, at)
    }

    /// AND and OR of any length as one level.
    fn junction(
        &mut self,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
        at: Range<usize>,
    ) -> Result<Node> {
        let mut last = vec![right];
        let mut first = left;
        while let Expr::BinaryOp { left, op, right } = first {
            if op != operator {
                break;
            }
            last.push(right);
            first = left;
        }
        let mut parts = Vec::with_capacity(last.len() + 1);
        for part in std::iter::once(first).chain(last.into_iter().rev()) {
            let node = self.node(part)?;
            self.expect(
                &node,
                &[Type::Bool],
                &format!("a condition beside {operator}"),
            )?;
            parts.push(node);
        }
        let what = if *operator == BinaryOperator::And {
            What::And(parts)
        } else {
            What::Or(parts)
        };
        Ok(Node {
            what,
            kind: Type::Bool,
            at,
        })
    }
}

/// The condition, or its opposite.
fn negation(negated: bool, what: What, at: Range<usize>) -> Node {
    let node = Node {
        what,
        kind: Type::Bool,
        at: at.clone(),
    };
    if !negated {
        return node;
    }
    Node {
        what: What::Not(Box::new(node)),
        kind: Type::Bool,
        at,
    }
}
