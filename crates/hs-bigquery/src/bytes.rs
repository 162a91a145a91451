//! Amounts of data in words, and the steps in which BigQuery bills them.

/// The unit of BigQuery's bill: what its pages call a MB is 2^20 bytes, as its errors show.
pub const MIB: u64 = 1 << 20;
/// The least that BigQuery bills for a query that reads anything, and for each table of it.
pub const LEAST: u64 = 10 * MIB;

/// The exact number, and from 1024 on the same in a binary unit: `65935918 bytes (62.9 MiB)`.
pub fn told(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let noun = if bytes == 1 { "byte" } else { "bytes" };
    if bytes < 1024 {
        return format!("{bytes} {noun}");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    // What would be shown as 1024.0 is shown as 1.0 of the next.
    while amount >= 1023.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{bytes} {noun} ({amount:.1} {})", UNITS[unit])
}

/// The least bill of a query that reads so many bytes: whole MiB, at least [`LEAST`], nothing for nothing.
pub fn least_bill(bytes: u64) -> u64 {
    match bytes {
        0 => 0,
        bytes => bytes.div_ceil(MIB).saturating_mul(MIB).max(LEAST),
    }
}

/// A cap that leaves a tenth of room above `required`, in two digits and a unit: `"73 MB"`.
///
/// The bill is rounded up for each table, which no estimate tells, so a cap of what is known to be required may fail.
pub fn roomy(required: u64) -> String {
    const UNITS: [&str; 4] = ["MB", "GB", "TB", "PB"];
    let wanted = u128::from(required.max(LEAST)) * 11;
    let mut step: u128 = 10_000_000;
    let mut unit = 0;
    // `wanted` is in tenths of bytes.
    while wanted > 999 * step && unit + 1 < UNITS.len() {
        step *= 1000;
        unit += 1;
    }
    let amount = wanted.div_ceil(step);
    let amount = if amount > 100 {
        amount.div_ceil(10) * 10
    } else {
        amount
    };
    format!("{amount} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cap::Cap;

    #[test]
    fn amounts_are_exact_and_readable() {
        assert_eq!(told(0), "0 bytes");
        assert_eq!(told(1), "1 byte");
        assert_eq!(told(1023), "1023 bytes");
        assert_eq!(told(1024), "1024 bytes (1.0 KiB)");
        assert_eq!(told(65_935_918), "65935918 bytes (62.9 MiB)");
        assert_eq!(told(53_687_091_200), "53687091200 bytes (50.0 GiB)");
        assert_eq!(told((1 << 30) - 1), "1073741823 bytes (1.0 GiB)");
        assert_eq!(told(u64::MAX), "18446744073709551615 bytes (16.0 EiB)");
    }

    #[test]
    fn bills_are_whole_mebibytes_and_at_least_ten() {
        assert_eq!(least_bill(0), 0);
        assert_eq!(least_bill(1), 10_485_760);
        assert_eq!(least_bill(10_485_760), 10_485_760);
        assert_eq!(least_bill(65_935_918), 66_060_288);
        assert_eq!(least_bill(163_595_928), 164_626_432);
    }

    #[test]
    fn a_proposed_cap_has_room_and_is_one() {
        assert_eq!(roomy(0), "12 MB");
        assert_eq!(roomy(66_060_288), "73 MB");
        assert_eq!(roomy(174_063_616), "200 MB");
        assert_eq!(roomy(53_687_091_200), "60 GB");
        for required in [1, 10_485_760, 999_999_999, 1 << 40, 1 << 52] {
            let cap = Cap::parse(&roomy(required)).expect("a proposed cap is a cap");
            assert!(cap.bytes() > required, "{required}");
        }
    }
}
