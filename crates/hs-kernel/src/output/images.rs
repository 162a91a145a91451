//! The figures of a cell: the first few, within a budget; the others are counted.

use crate::protocol::Image;

/// Figures of a cell.
const COUNT: usize = 4;
/// Bytes of all of them.
const BYTES: usize = 8 << 20;

/// The figures of a cell.
#[derive(Clone, Debug, Default)]
pub struct Images {
    kept: Vec<Image>,
    bytes: usize,
    dropped: usize,
}

impl Images {
    /// Takes a figure in, if there is room for it; else it is counted.
    pub fn push(&mut self, image: Image) -> Option<&Image> {
        // Four letters of base64 are three bytes.
        let bytes = image.data.len() / 4 * 3;
        if self.kept.len() == COUNT || self.bytes + bytes > BYTES {
            self.dropped += 1;
            return None;
        }
        self.bytes += bytes;
        self.kept.push(image);
        self.kept.last()
    }

    /// Takes all away, as cleared output does.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }

    /// Those that are kept, and how many are not.
    pub fn into_parts(self) -> (Vec<Image>, usize) {
        (self.kept, self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: usize) -> Image {
        Image {
            mime: "image/png".to_owned(),
            data: "A".repeat(bytes / 3 * 4),
        }
    }

    #[test]
    fn four_figures_within_eight_mebibytes() {
        let mut images = Images::default();
        let kept = (0..6).filter(|_| images.push(image(300)).is_some()).count();
        assert_eq!((kept, images.into_parts().1), (4, 2));
        let mut images = Images::default();
        assert!(images.push(image(20 << 20)).is_none());
        assert!(images.push(image(6 << 20)).is_some());
        assert!(images.push(image(3 << 20)).is_none());
        assert!(images.push(image(300)).is_some());
        assert_eq!(images.into_parts().1, 2);
    }
}
