//! Putting one column behind another: parts that were built side by side become one.

use super::column::ColumnBuilder;
use super::state::{Shape, State};

impl ColumnBuilder {
    /// Takes over the values of `other` behind the own ones; the type is then decided on both.
    pub(crate) fn append(&mut self, mut other: Self) {
        if !other.state.any() && !matches!(other.state, State::Mixed(_)) {
            return self.push_nulls(other.len);
        }
        if !self.state.any() && !matches!(self.state, State::Mixed(_)) {
            self.state = match other.state.shape() {
                Some(Shape::WideInt | Shape::Float) if other.is_numbers() => {
                    State::nulls(Shape::WideInt, self.len)
                }
                Some(shape) => State::nulls(shape, self.len),
                None => std::mem::take(&mut self.state),
            };
        }
        let len = self.len + other.len;
        match (&mut self.state, &mut other.state) {
            (State::Bool(own), State::Bool(more)) => own.append(std::mem::take(more)),
            (State::Int(own), State::Int(more))
            | (State::Time(own), State::Time(more))
            | (State::Duration(own), State::Duration(more)) => own.append(std::mem::take(more)),
            (State::Float(own), State::Float(more)) => own.append(std::mem::take(more)),
            (State::Text(own), State::Text(more)) | (State::Decimal(own), State::Decimal(more)) => {
                own.append(std::mem::take(more));
            }
            (State::Bytes(own), State::Bytes(more)) => own.append(std::mem::take(more)),
            (State::Date(own), State::Date(more)) => own.append(std::mem::take(more)),
            (State::Datetime(own, zone), State::Datetime(more, other_zone))
                if zone == other_zone =>
            {
                own.append(std::mem::take(more));
            }
            (State::List(own), State::List(more)) => {
                let shift = own.items.len();
                own.valid
                    .append(own.ends.len(), &more.valid, more.ends.len());
                own.ends.extend(more.ends.iter().map(|end| end + shift));
                own.items.append(std::mem::take(&mut more.items));
            }
            (State::Object(own), State::Object(more)) => own.append(std::mem::take(more)),
            _ => self.append_other(&mut other),
        }
        self.len = len;
    }

    fn is_numbers(&self) -> bool {
        matches!(self.state, State::Numbers(_))
    }

    /// Appends values of another type, by widening both sides.
    fn append_other(&mut self, other: &mut Self) {
        let number = |shape| matches!(shape, Some(Shape::Int | Shape::WideInt | Shape::Float));
        let whole = |shape| matches!(shape, Some(Shape::Int | Shape::WideInt));
        let (own, more) = (self.state.shape(), other.state.shape());
        if number(own) && number(more) {
            if let (Some(mut numbers), Some(mut tail)) =
                (self.state.numbers(), other.state.numbers())
            {
                numbers.append(&mut tail);
                self.state = State::Numbers(numbers);
            }
            return;
        }
        let decimal = Some(Shape::Decimal);
        if whole(own) && more == decimal || own == decimal && whole(more) {
            let mut texts = self.json();
            texts.append(other.json());
            self.state = State::Decimal(texts);
            return;
        }
        for side in [&mut *self, &mut *other] {
            if !matches!(side.state, State::Mixed(_)) {
                side.become_mixed(None);
            }
        }
        if let (State::Mixed(own), State::Mixed(more)) = (&mut self.state, &mut other.state) {
            own.texts.append(std::mem::take(&mut more.texts));
            for shape in &more.shapes {
                own.note(*shape);
            }
            own.reason = own.reason.take().or(more.reason.take());
        }
    }
}
