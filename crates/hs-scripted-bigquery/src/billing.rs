//! What a query is billed: the rule of on-demand pricing, in whole MiB with a floor for each table. It knows no price.

const MIB: u64 = 1 << 20;
/// The least that is billed for a table that is read, and for a query that reads.
const FLOOR: u64 = 10 * MIB;

/// The sum over tables of their bytes, each rounded up to the MiB and to at least 10 MiB; tables of 0 bytes are free.
pub fn billed(bytes_of_tables: impl IntoIterator<Item = u64>) -> u64 {
    let bytes = bytes_of_tables.into_iter().filter(|&bytes| bytes > 0);
    bytes
        .map(|bytes| (bytes.div_ceil(MIB) * MIB).max(FLOOR))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::billed;

    #[test]
    fn whole_mebibytes_with_a_floor_for_each_table() {
        assert_eq!(billed([]), 0);
        assert_eq!(billed([0, 0]), 0);
        assert_eq!(billed([12]), 10_485_760);
        assert_eq!(billed([65_935_918]), 66_060_288);
        assert_eq!(billed([163_000_000, 595_928]), 174_063_616);
    }
}
