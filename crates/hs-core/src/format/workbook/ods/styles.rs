//! What the styles of cells say about the numbers under them.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::content::value;
use crate::format::workbook::number_format::Shape;

/// Cell styles and number styles by name, gathered element by element.
#[derive(Debug, Default)]
pub struct Styles {
    /// Number style of each cell style.
    cells: HashMap<String, String>,
    /// The style that a cell style builds on.
    parents: HashMap<String, String>,
    /// Shape of each number style.
    numbers: HashMap<String, Shape>,
    /// Sheet styles of hidden sheets.
    hidden: Vec<String>,
    /// The style that is being read: name, whether it is a sheet's.
    current: Option<String>,
    /// The number style that is being read.
    number: Option<Number>,
}

/// A number style while it is read.
#[derive(Debug)]
struct Number {
    name: String,
    width: u8,
    plain: bool,
}

impl Styles {
    /// Looks at the start of an element.
    pub fn start(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "style:style" => {
                self.current = value(element, "style:name");
                let parent = value(element, "style:parent-style-name");
                if let Some((name, parent)) = self.current.clone().zip(parent) {
                    self.parents.insert(name, parent);
                }
                let number = value(element, "style:data-style-name");
                if let Some((name, number)) = self.current.clone().zip(number) {
                    self.cells.insert(name, number);
                }
            }
            "style:table-properties" => {
                let shown = value(element, "table:display");
                if shown.as_deref() == Some("false") {
                    self.hidden.extend(self.current.clone());
                }
            }
            "number:number-style" => {
                self.number = value(element, "style:name").map(|name| Number {
                    name,
                    width: 0,
                    plain: true,
                });
            }
            "number:number" => {
                if let Some(number) = &mut self.number {
                    let digits = value(element, "number:min-integer-digits");
                    number.width = digits.and_then(|digits| digits.parse().ok()).unwrap_or(0);
                    let zero = |name: &str| value(element, name).is_none_or(|value| value == "0");
                    let grouped = value(element, "number:grouping").as_deref() == Some("true");
                    number.plain &= zero("number:decimal-places")
                        && zero("number:min-decimal-places")
                        && !grouped;
                }
            }
            // Anything else in a number style is shown beside the digits.
            "number:text"
            | "number:scientific-number"
            | "number:fraction"
            | "number:embedded-text" => {
                if let Some(number) = &mut self.number {
                    number.plain = false;
                }
            }
            "number:time-style" => {
                let cut = value(element, "number:truncate-on-overflow");
                let shape = match cut.as_deref() {
                    Some("false") => Shape::Duration,
                    _ => Shape::Time,
                };
                self.numbers
                    .extend(value(element, "style:name").map(|name| (name, shape)));
            }
            _ => {}
        }
    }

    /// Looks at the end of an element.
    pub fn end(&mut self, name: &str) {
        if name != "number:number-style" {
            return;
        }
        if let Some(number) = self
            .number
            .take()
            .filter(|number| number.plain && number.width >= 2)
        {
            self.numbers
                .insert(number.name, Shape::Padded(number.width));
        }
    }

    /// The shape of a number in a cell of this style.
    pub fn shape(&self, style: Option<&str>) -> Shape {
        let mut next = style;
        // Styles build on each other a few steps deep; a circle must end.
        for _ in 0..8 {
            let Some(style) = next else {
                break;
            };
            if let Some(number) = self.cells.get(style) {
                return self.numbers.get(number).copied().unwrap_or(Shape::Plain);
            }
            next = self.parents.get(style).map(String::as_str);
        }
        Shape::Plain
    }

    /// True for the style of a hidden sheet.
    pub fn hides(&self, style: Option<&str>) -> bool {
        style.is_some_and(|style| self.hidden.iter().any(|hidden| hidden == style))
    }
}
