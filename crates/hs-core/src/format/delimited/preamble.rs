//! Title and comment lines above the header: which leading records are none of the table.
//!
//! They are passed over only when the records behind them agree on another width and what comes
//! first of those looks like a header. In doubt there is no preamble: a header or a row that is
//! taken for a title would be lost. It never looks below the header, so a row that starts with `#`
//! stays a row.

use super::dialect::first_record;
use super::records::Delimiter;
use super::types::{Seen, classify};
use crate::control::Control;
use crate::error::Result;

/// So many records at the front are kept to look for a preamble in.
pub const LEADS: usize = 64;
/// Names are shorter than this.
const LONGEST_NAME: usize = 200;

/// One of the first records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lead {
    /// Where it starts.
    pub start: usize,
    /// Where its last field ends.
    pub end: usize,
    /// Where the next line starts.
    pub next: usize,
    /// How many fields it has.
    pub width: usize,
}

/// What was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preamble {
    /// How many records, blank lines left out.
    pub records: usize,
    /// Where the first of them starts and ends.
    pub first: (usize, usize),
    /// Where the header starts.
    pub header: usize,
    /// How many fields the header has.
    pub width: usize,
    /// True when each starts with a mark of comments.
    pub marked: bool,
}

/// Looks for a preamble before records of `width` fields; `leads` are the first records.
///
/// # Errors
/// Only a stop request.
pub fn find(
    text: &[u8],
    leads: &[Lead],
    width: usize,
    delimiter: Delimiter,
    control: &Control,
) -> Result<Option<Preamble>> {
    let Some(first) = leads.first() else {
        return Ok(None);
    };
    let front = Front {
        text,
        leads,
        width,
        delimiter,
        control,
    };
    // An ordinary file ends here.
    let marked = |lead: &Lead| is_marked(&text[lead.start..lead.end], delimiter);
    let padded = text[first.start..first.end].ends_with(delimiter.as_bytes());
    if first.width >= width && !marked(first) && !padded {
        return Ok(None);
    }
    let preamble = |number: usize| Preamble {
        records: number,
        first: (first.start, first.end),
        header: leads[number].start,
        width: leads[number].width,
        marked: leads[..number].iter().all(marked),
    };
    let last = leads.len().saturating_sub(1);
    // Marks speak for themselves, so that the rows need not agree as well.
    let comments = leads.iter().take_while(|lead| marked(lead)).count();
    if (1..last).contains(&comments) {
        let header = leads[comments];
        let other = leads[..comments]
            .iter()
            .all(|lead| lead.width != header.width);
        if other && header.width >= 2 && look_like_names(&front.fields(header)?) {
            return Ok(Some(preamble(comments)));
        }
    }
    for (number, lead) in leads.iter().enumerate().take(last).skip(1) {
        if width >= 2 && lead.width == width && front.is_header(number)? {
            return Ok(Some(preamble(number)));
        }
    }
    Ok(None)
}

/// True when the line starts with a mark that many programs write before comments. A `;` without
/// a space may be an empty field, such as the name of a column of row names.
fn is_marked(line: &[u8], delimiter: Delimiter) -> bool {
    let line = line.trim_ascii_start();
    let marks: [&[u8]; 4] = [b"#", b"//", b"%", b"; "];
    marks
        .iter()
        .any(|mark| line.starts_with(mark) && !mark.starts_with(delimiter.as_bytes()))
}

struct Front<'a> {
    text: &'a [u8],
    leads: &'a [Lead],
    width: usize,
    delimiter: Delimiter,
    control: &'a Control,
}

impl Front<'_> {
    /// True when this record is the header and all before it are none of the table.
    fn is_header(&self, number: usize) -> Result<bool> {
        let (before, width) = (&self.leads[..number], self.width);
        let marked = |lead: &Lead| is_marked(&self.text[lead.start..lead.end], self.delimiter);
        let other = |lead: &Lead| lead.width < width || lead.width > width && marked(lead);
        let gap = before.last().map(|lead| lead.next) < Some(self.leads[number].start);
        let mut apart = true;
        for lead in before {
            apart &= lead.width < width || marked(lead) || width >= 3 && self.alone(*lead)?;
        }
        let parted = apart || gap && before[0].width < width;
        if !parted {
            return Ok(false);
        }
        let names = self.fields(self.leads[number])?;
        if !look_like_names(&names) {
            return Ok(false);
        }
        let worded = |lead: &Lead| {
            let line = &self.text[lead.start..lead.end];
            line.trim_ascii().contains(&b' ')
        };
        let rows = self.leads.len() - number - 1;
        if !self.types_follow(number, &names)? {
            // Without numbers or dates below the names something else has to speak for them: a
            // blank line, or sentences above lines that are none.
            let alike = self.leads[number..].iter().all(|lead| lead.width == width);
            let sentence = |lead: &Lead| worded(lead) && (lead.width == 1 || self.spaced(*lead));
            let sentences = rows >= 2 && alike && before.iter().all(sentence);
            let table = width >= 3 && !self.spaced(self.leads[number]);
            return Ok(table && (gap || sentences) && before.iter().all(other));
        }
        // One column of text with a comma in each line looks like two columns: a name of one word
        // above it is no title.
        let title = before.iter().any(|lead| worded(lead) || marked(lead));
        Ok(width >= 3 || gap || rows >= 2 && title)
    }

    /// True when no field but the first holds anything, in a wide table none but the first two: a
    /// title, or a label with its value, that a spreadsheet padded.
    fn alone(&self, lead: Lead) -> Result<bool> {
        let fields = self.fields(lead)?;
        let few = if self.width >= 4 { 2 } else { 1 };
        Ok(fields.iter().skip(few).all(String::is_empty))
    }

    /// True when every delimiter of the record has a space behind it, as in a sentence.
    fn spaced(&self, lead: Lead) -> bool {
        let (line, mark) = (&self.text[lead.start..lead.end], self.delimiter.as_bytes());
        memchr::memmem::find_iter(line, mark).all(|at| line.get(at + mark.len()) == Some(&b' '))
    }

    /// True when some column below its name holds only numbers, dates or other typed values.
    fn types_follow(&self, number: usize, names: &[String]) -> Result<bool> {
        let mut seen = vec![Seen::NOTHING; self.width];
        for lead in &self.leads[number + 1..] {
            if lead.width == self.width {
                for (seen, field) in seen.iter_mut().zip(self.fields(*lead)?) {
                    *seen |= classify(field.as_bytes());
                }
            }
        }
        let text = Seen::TEXT | Seen::WORD;
        Ok(seen.iter().zip(names).any(|(seen, name)| {
            !name.trim().is_empty()
                && !seen.has(text)
                && *seen != Seen::EMPTY
                && *seen != Seen::NOTHING
        }))
    }

    fn fields(&self, lead: Lead) -> Result<Vec<String>> {
        let record = &self.text[..lead.next];
        let first = first_record(record, lead.start, self.delimiter, self.control)?;
        Ok(first.map(|first| first.fields).unwrap_or_default())
    }
}

/// True when the fields may be names: most are there, and none is a value but for years beside
/// other names.
fn look_like_names(fields: &[String]) -> bool {
    let there = || fields.iter().filter(|field| !field.trim().is_empty());
    let named = |field: &&String| classify(field.as_bytes()).has(Seen::TEXT | Seen::WORD);
    let year =
        |field: &&String| field.len() == 4 && matches!(field.parse::<u32>(), Ok(1000..=2999));
    let names = there().filter(named).count();
    let years =
        names >= 2 && fields.len() >= 4 && there().next().is_some_and(|field| named(&field));
    let (count, short) = (there().count(), |field: &String| field.len() < LONGEST_NAME);
    count * 2 >= fields.len()
        && names > 0
        && there().all(|field| short(field) && (named(&field) || years && year(&field)))
}

#[cfg(test)]
mod tests {
    use crate::control::Control;
    use crate::format::delimited::dialect::{Question, detect};

    /// Which line of the text is taken for the header, from 1.
    fn header(text: &str) -> usize {
        let bytes = text.as_bytes();
        let found = detect(bytes, Question::at(0), bytes.len(), &Control::default()).unwrap();
        text[..found.header].matches('\n').count() + 1
    }

    #[test]
    fn titles_above_a_consistent_table_are_passed_over() {
        for (text, line) in [
            ("Report, x\na,b,c\nx,1,2\ny,3,4\n", 2),
            (
                "some notes...\nmore notes,...\nnumber,text,date\n345.0,TEST4,2000-12-13\n",
                3,
            ),
            ("Line with spaces\na,b,c,d\n1,2,3,4\n1,2,3,4\n", 2),
            ("Sales of the north\n\nitem;sum\nx;1\ny;2\n", 3),
            (
                "Title\nGenerated 2026-01-01, 10:00\n\nname,qty\nA,1\nB,2\n",
                4,
            ),
            // As a spreadsheet pads it.
            ("Sales report,,\n,,\nname,qty,price\nA,1,2\nB,3,4\n", 3),
            // Names that are years, two titles with a trailing delimiter each.
            (
                "\"Source\",\"Indicators\",\n\n\"Updated\",\"2024-01-01\",\n\n\"Country\",\"Code\",\"Name\",\"1960\",\"1961\",\n\"Aruba\",\"ABW\",\"x\",\"1\",\"2\",\n\"Chad\",\"TCD\",\"x\",\"3\",\"4\",\n",
                5,
            ),
            ("Title\n\na,b\n1,2\n", 3),
            // Text only, but a blank line or a sentence stands above.
            ("Report, x\nname,city,land\nAnn,Paris,FR\nBob,Rome,IT\n", 2),
            (
                "Staff of 2026\nname,city,land\nAnn,Paris,FR\nBob,Rome,IT\n",
                2,
            ),
            (
                "Staff of 2026\n\nname,city,land\nAnn,Paris,FR\nBob,Rome,IT\n",
                3,
            ),
        ] {
            assert_eq!(header(text), line, "{text}");
        }
    }

    #[test]
    fn comments_above_the_header_are_passed_over() {
        for (text, line) in [
            (
                "# a comment\n# and, one, more, still\nname,city\nAnn,Paris\nBob,Rome\n",
                3,
            ),
            ("# and, one\nname,city\nAnn,Paris\nBob,Rome\n", 1),
            ("# a comment\nname,city\nAnn,Paris\nBob,Rome\n", 2),
            // Rows that comments stand between, or that lack a field.
            ("# a\nname;city\n# b\nAnn;Paris\nBob;Rome\n", 2),
            ("# a\none,two,three\n1,a\n2,b\n", 2),
            ("## made, by, x\nid,name,sum\n1,a,2\n2,b,3\n", 2),
            ("// made by x\nid,name\n1,a\n2,b\n", 2),
            ("; made by x\nid,name\n1,a\n2,b\n", 2),
            ("% made by x\nid\tname\n1\ta\n2\tb\n", 2),
            // The header itself, as genome tools write it.
            ("#chrom\tstart\tend\nchr1\t1\t2\nchr2\t3\t4\n", 1),
            (
                "##version 4\n#chrom\tstart\tend\nchr1\t1\t2\nchr2\t3\t4\n",
                2,
            ),
            ("# x,y\n1,2\n3,4\n", 1),
        ] {
            assert_eq!(header(text), line, "{text}");
        }
    }

    #[test]
    fn what_may_be_a_header_or_a_row_is_never_passed_over() {
        for text in [
            // Names for all columns but one, as R writes them.
            "A,B\nx,1,2\ny,3,4\n",
            "a,b\nu,v,w\nx,y,z\n",
            "first name,age\nu,v,w\nx,y,z\n",
            // One column of text.
            "Staff\nname,city,land\nAnn,Paris,FR\nBob,Rome,IT\n",
            "name\nSmith, John\nDoe, Jane\n",
            "tags\nred,green,blue\nsmall,big,huge\n",
            "born\nSmith, 1990\nDoe, 1985\nRoe, 1971\n",
            "note\nAnn, see below\nBob, 5\nCarl, 7\n",
            "address\n1 Main St, Paris, FR\n2 High St, London, UK\n",
            "Value\n68,527.00\n",
            // A preamble without a header below it.
            "# x y z\n1,2,3\n4,5,6\n",
            // Rows with a trailing delimiter, a two-row header.
            "a,b,c\n1,2,3,\n4,5,6,\n",
            ",Q1,,Q2,\nname,a,b,a,b\nx,1,2,3,4\n",
            "#VALUE!,a,b\nx,1,2\ny,3,4\n",
            "a,b,c\n#VALUE!,1,2\n#,3,4\n",
        ] {
            assert_eq!(header(text), 1, "{text}");
        }
    }
}
