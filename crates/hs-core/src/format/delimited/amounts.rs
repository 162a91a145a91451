//! Columns of amounts with a percent sign, a currency or accounting parentheses.
//!
//! They stay text: without the sign `12.5%` would be another number, without the parentheses
//! `(75.00)` would be positive. This only finds them, so that it can be said.

use super::build::{Piece, Values};
use super::scalar::missing_word;

/// Signs of currencies, and the codes of the most traded ones.
const CURRENCIES: [&str; 22] = [
    "$", "€", "£", "¥", "₹", "₩", "₽", "₺", "₫", "₴", "R$", "US$", "kr", "zł", "Fr.", "USD", "EUR",
    "GBP", "JPY", "CHF", "CNY", "INR",
];

/// The first amount of a text column whose values are all amounts or plain numbers.
pub fn example<'a>(pieces: impl Iterator<Item = &'a Piece>) -> Option<String> {
    let mut first = None;
    for piece in pieces {
        let Values::Text(texts) = &piece.values else {
            continue;
        };
        for row in 0..texts.len() {
            let bytes = texts.get(row)?;
            if bytes.is_empty() {
                continue;
            }
            let text = std::str::from_utf8(bytes).ok()?;
            if is_amount(text)? && first.is_none() {
                first = Some(text.to_owned());
            }
        }
    }
    first
}

/// True for an amount, false for a plain number or a word for missing, `None` for anything else.
fn is_amount(text: &str) -> Option<bool> {
    let text = text.trim();
    if missing_word(text.as_bytes()) || text.is_empty() {
        return Some(false);
    }
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    let mut marked = inner.is_some();
    let mut rest = inner.unwrap_or(text);
    while !(rest.starts_with(|character: char| character.is_ascii_digit())
        && rest.ends_with(|character: char| character.is_ascii_digit()))
    {
        let before = rest;
        rest = rest.trim().trim_start_matches(['-', '+', '\u{2212}']);
        if let Some(number) = rest.strip_suffix(['%', '‰', '-']) {
            (rest, marked) = (number, true);
        }
        for currency in CURRENCIES {
            let number = rest
                .strip_prefix(currency)
                .or_else(|| rest.strip_suffix(currency));
            if let Some(number) = number {
                (rest, marked) = (number, true);
            }
        }
        if rest == before {
            break;
        }
    }
    let spaces = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];
    let digits = rest.contains(|character: char| character.is_ascii_digit());
    let number = |character: char| {
        character.is_ascii_digit() || matches!(character, '.' | ',') || spaces.contains(&character)
    };
    (digits && rest.chars().all(number)).then_some(marked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::delimited::build::build;
    use crate::format::delimited::index::Index;
    use crate::format::delimited::records::{Delimiter, Range, walk};
    use crate::format::delimited::texts::TextLayout;
    use crate::format::delimited::types::ColumnType;

    fn found(text: &str, layout: TextLayout) -> Option<String> {
        let tab = Delimiter::of('\t');
        let mut index = Index::new(0, 1, tab, 10);
        let range = Range {
            start: 0,
            stop: usize::MAX,
            limit: usize::MAX,
        };
        let control = crate::control::Control::default();
        walk(text.as_bytes(), range, tab, &control, &mut index).unwrap();
        let (_, piece) = build(index.column(text.as_bytes(), 0), ColumnType::Text, layout).unwrap();
        example([piece].iter())
    }

    #[test]
    fn columns_of_amounts_are_known() {
        for text in [
            "$1,250.50\n($75.00)\n$0.00\n",
            "12.5%\n-3%\n100 %\nNA\n0\n",
            "1.234,56 €\n12,00 €\n",
            "EUR 5\n-EUR 7.10\n- €1'000\n",
            "(75.00)\n80.00\n",
            "75.00-\n80.00\n",
            "12 000,50\u{a0}kr\n7\u{202f}kr\n",
        ] {
            for layout in [TextLayout::Views, TextLayout::Flat] {
                let found = found(text, layout);
                assert_eq!(found.as_deref(), text.lines().next(), "{text}");
            }
        }
        for text in [
            "12.5%\nunknown\n",
            "1\n2\nNA\n",
            "$a\n",
            "%\n",
            "()\n",
            "5 kg\n",
            "2026-01-02\n",
            "(01) 23 45\nx\n",
            "$5\na text too long for a view\n",
        ] {
            assert_eq!(found(text, TextLayout::Views), None, "{text}");
        }
    }
}
