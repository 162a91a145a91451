//! Which types go together in a condition, and what comes of them.

use std::ops::Range;

use super::compile::Compiler;
use super::tree::{Node, Operator, Type, What};
use super::vector::{Data, Vector};
use super::{exact, literal};
use crate::error::{Error, ErrorKind, Result};
use crate::fix::Fix;

/// A type with its article, as in `an int`.
pub fn article(kind: Type) -> String {
    match kind {
        Type::Nothing => "null".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Int => "an int".to_owned(),
        kind => format!("a {}", kind.word()),
    }
}

impl Compiler<'_> {
    pub(super) fn arithmetic(
        &self,
        operator: Operator,
        left: Node,
        right: Node,
        at: Range<usize>,
    ) -> Result<Node> {
        use Operator::{Add, Divide, Subtract};
        let day = |node: Node| {
            let at = node.at.clone();
            let unit = Node {
                what: What::Literal(Vector::one(Data::Exact(vec![literal::DAY], 0))),
                kind: Type::Int,
                at: at.clone(),
            };
            Node {
                what: What::Arithmetic(Operator::Multiply, Box::new(node), Box::new(unit)),
                kind: Type::Duration,
                at,
            }
        };
        let make = |what, kind| {
            Ok(Node {
                what,
                kind,
                at: at.clone(),
            })
        };
        let of =
            |left: Node, right: Node| What::Arithmetic(operator, Box::new(left), Box::new(right));
        match (left.kind, operator, right.kind) {
            (Type::Nothing, _, Type::Nothing) => make(of(left, right), Type::Int),
            (Type::Nothing, _, kind) | (kind, _, Type::Nothing) if kind.is_number() => {
                let kind = if operator == Divide {
                    Type::Float
                } else {
                    kind
                };
                make(of(left, right), kind)
            }
            (a, _, b) if a.is_number() && b.is_number() => {
                let kind = match operator {
                    Divide => Type::Float,
                    _ => a.with(b).unwrap_or(Type::Float),
                };
                make(of(left, right), kind)
            }
            (Type::Date, Subtract, Type::Date) => {
                let nanos = make(of(left, right), Type::Duration)?;
                make(What::Days(Box::new(nanos)), Type::Int)
            }
            (a, Subtract, b) if a.is_moment() && b.is_moment() => {
                make(of(left, right), Type::Duration)
            }
            (Type::Date, Add | Subtract, Type::Int) => make(of(left, day(right)), Type::Date),
            (Type::Int, Add, Type::Date) => make(of(day(left), right), Type::Date),
            (moment, Add | Subtract, Type::Duration) if moment.is_moment() => {
                let kind = if moment == Type::Date {
                    Type::Datetime
                } else {
                    moment
                };
                make(of(left, right), kind)
            }
            (Type::Duration, Add | Subtract, Type::Duration) => {
                make(of(left, right), Type::Duration)
            }
            (a, _, b) => {
                let sign = match operator {
                    Add => "+",
                    Subtract => "-",
                    Operator::Multiply => "*",
                    Divide => "/",
                    Operator::Remainder => "%",
                };
                let message = format!(
                    "expected numbers beside {sign}, found {} and {}",
                    a.word(),
                    b.word()
                );
                Err(self.with_fix(self.fault(ErrorKind::Type, &at, &message), &[&left, &right]))
            }
        }
    }

    /// Two values that are to be compared.
    pub(super) fn meet(&self, left: Node, right: Node, at: &Range<usize>) -> Result<(Node, Node)> {
        let left = self.timed(left, right.kind)?;
        let right = self.timed(right, left.kind)?;
        let opaque = matches!(left.kind, Type::Opaque(_)) || matches!(right.kind, Type::Opaque(_));
        if !opaque && left.kind.with(right.kind).is_some() {
            return Ok((left, right));
        }
        let found = format!("{} and {}", left.kind.word(), right.kind.word());
        let message = if opaque {
            format!("expected values that have an order, found {found}")
        } else {
            format!("expected two values of one type, found {found}")
        };
        Err(self.with_fix(self.fault(ErrorKind::Type, at, &message), &[&left, &right]))
    }

    /// A text literal beside a day or time as what it says.
    fn timed(&self, node: Node, other: Type) -> Result<Node> {
        let What::Literal(vector) = &node.what else {
            return Ok(node);
        };
        let (Some(written), true) = (
            vector.text(0),
            node.kind == Type::Text && (other.is_moment() || other == Type::Time),
        ) else {
            return Ok(node);
        };
        let read = if other == Type::Time {
            literal::time(written).map(|nanos| (Type::Time, nanos))
        } else {
            literal::moment(written)
        };
        let Some((kind, nanos)) = read else {
            return Err(self.no_moment(written, &node.at));
        };
        Ok(Node {
            what: What::Literal(Vector::one(Data::Exact(vec![nanos], 0))),
            kind,
            at: node.at,
        })
    }

    /// The error, with how types may be made to go together.
    fn with_fix(&self, error: Error, nodes: &[&Node; 2]) -> Error {
        for (node, other) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
            match &node.what {
                What::Literal(vector) if other.kind.is_number() => {
                    if let Some(text) = vector.text(0).filter(|text| exact::parse(text).is_some()) {
                        return error.hint(format!("write the number without quotes: {text}"));
                    }
                }
                What::Column(column) if node.kind == Type::Text && other.kind != Type::Bool => {
                    let name = &self.table.columns()[*column].name;
                    if let What::Literal(_) = other.what
                        && other.kind.is_number()
                    {
                        let fix = Fix::types(name, other.kind.word().replace("decimal", "float"));
                        let hint = format!(
                            "{name:?} is text; compare it with a text in quotes, or load it by {fix}"
                        );
                        return error.hint(hint).fix(fix);
                    }
                    let fix = Fix::types(name, other.kind.word());
                    let hint = format!("{name:?} is text; load it by {fix} if all of it is");
                    return error.hint(hint).fix(fix);
                }
                What::Column(_) if node.kind == Type::Bool => {
                    return error.hint("compare a bool with TRUE or FALSE, or let it stand alone");
                }
                _ => {}
            }
        }
        error
    }

    /// Refuses another type.
    pub(super) fn expect(&self, node: &Node, kinds: &[Type], words: &str) -> Result<()> {
        if node.kind == Type::Nothing || kinds.contains(&node.kind) {
            return Ok(());
        }
        let message = format!("expected {words}, found {}", article(node.kind));
        Err(self.fault(ErrorKind::Type, &node.at, &message))
    }

    pub(super) fn expect_number(&self, node: &Node, words: &str) -> Result<()> {
        self.expect(node, &[Type::Int, Type::Decimal, Type::Float], words)
    }
}
