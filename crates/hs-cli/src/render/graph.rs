//! A tree drawn with letters, the newest first, as version control shows history.

/// A node of the tree: the lines before it, which bring branches together, and its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Lines between the node before and this one.
    pub joins: Vec<String>,
    /// The line of the node, up to what is said of it.
    pub node: String,
}

/// Draws nodes whose children all stand before them. For each: where its parent stands, if it is there, and its mark.
pub fn graph(nodes: &[(Option<usize>, char)]) -> Vec<Drawn> {
    // What each column goes on to.
    let mut columns: Vec<usize> = Vec::new();
    let mut joins = Vec::new();
    let mut drawn = Vec::with_capacity(nodes.len());
    for (node, (parent, mark)) in nodes.iter().enumerate() {
        let own = columns.iter().position(|next| *next == node);
        let own = own.unwrap_or_else(|| {
            columns.push(node);
            columns.len() - 1
        });
        while let Some(other) = (own + 1..columns.len()).find(|place| columns[*place] == node) {
            joins.push(joined(columns.len(), own, other));
            columns.remove(other);
        }
        let letters = (0..columns.len()).map(|place| if place == own { *mark } else { '|' });
        let letters: Vec<String> = letters.map(String::from).collect();
        drawn.push(Drawn {
            joins: std::mem::take(&mut joins),
            node: letters.join(" "),
        });
        match parent {
            Some(parent) => columns[own] = *parent,
            None => {
                columns.remove(own);
                if own < columns.len() {
                    joins.push(moved(columns.len() + 1, own));
                }
            }
        }
    }
    drawn
}

/// A line in which a column comes to another on its left, and those on its right move up.
fn joined(columns: usize, to: usize, from: usize) -> String {
    let mut line = vec![' '; 2 * columns];
    for place in 0..from {
        line[2 * place] = '|';
    }
    for place in to..from - 1 {
        line[2 * place + 1] = '_';
    }
    for place in from..columns {
        line[2 * place - 1] = '/';
    }
    line.into_iter().collect::<String>().trim_end().to_owned()
}

/// A line in which a column has ended, and those on its right move up.
fn moved(columns: usize, gone: usize) -> String {
    let mut line = vec![' '; 2 * columns];
    for place in 0..gone {
        line[2 * place] = '|';
    }
    for place in gone + 1..columns {
        line[2 * place - 1] = '/';
    }
    line.into_iter().collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(nodes: &[(Option<usize>, char)]) -> Vec<String> {
        let drawn = graph(nodes).into_iter();
        drawn
            .flat_map(|drawn| drawn.joins.into_iter().chain([drawn.node]))
            .collect()
    }

    #[test]
    fn a_line_is_a_line() {
        assert_eq!(
            lines(&[(Some(1), '*'), (Some(2), 'o'), (None, 'o')]),
            ["*", "o", "o"]
        );
        assert_eq!(lines(&[]), [] as [&str; 0]);
    }

    #[test]
    fn branches_come_together_where_they_began() {
        // 0 and 1 go on from 3, 2 from 4, 3 from 4.
        let nodes = [
            (Some(3), 'o'),
            (Some(3), '*'),
            (Some(4), 'o'),
            (Some(4), 'o'),
            (None, 'o'),
        ];
        assert_eq!(
            lines(&nodes),
            ["o", "| *", "| | o", "|/ /", "o |", "|/", "o"]
        );
        // A branch passes another on its way.
        let nodes = [
            (Some(3), 'o'),
            (Some(4), 'o'),
            (Some(3), 'o'),
            (Some(4), 'o'),
            (None, 'o'),
        ];
        assert_eq!(
            lines(&nodes),
            ["o", "| o", "| | o", "|_|/", "o |", "|/", "o"]
        );
    }

    #[test]
    fn trees_whose_roots_are_gone_stand_side_by_side() {
        let nodes = [(Some(2), 'o'), (Some(3), 'o'), (None, 'o'), (None, 'o')];
        assert_eq!(lines(&nodes), ["o", "| o", "o |", " /", "o"]);
    }
}
