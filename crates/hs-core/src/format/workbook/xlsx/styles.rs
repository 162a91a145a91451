//! What the number format of each cell style says about a value.

use std::collections::HashMap;

use super::package::Package;
use super::text::attribute;
use super::token::Token;
use crate::error::Result;
use crate::format::workbook::number_format::{self, Shape};

/// The shape of each cell style. An optional part.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is broken.
pub fn styles(package: &Package<'_>, part: &str) -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    let mut own: HashMap<u32, Shape> = HashMap::new();
    // `numFmt` and `xf` stand in other lists, too, which have numbers of their own.
    let mut list = String::new();
    package.each(part, &mut |token, depth| {
        let Token::Start(tag) = token else {
            return Ok(());
        };
        match depth {
            2 => tag.name.clone_into(&mut list),
            3 => {
                let id = tag.value("numFmtId").and_then(|id| id.trim().parse().ok());
                match (list.as_str(), tag.name, id) {
                    ("numFmts", "numFmt", Some(id)) => {
                        let code = attribute(tag.value("formatCode").unwrap_or_default());
                        let shape = match code.as_str() {
                            // Some writers spell a built-in format so, by its number only.
                            "" | "General" => number_format::built_in(id),
                            code => number_format::shape(code),
                        };
                        own.insert(id, shape);
                    }
                    ("cellXfs", "xf", id) => {
                        let id = id.unwrap_or(0);
                        let built_in = || number_format::built_in(id);
                        shapes.push(own.get(&id).copied().unwrap_or_else(built_in));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(shapes)
}
