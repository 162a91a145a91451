//! Numbers scattered over all bits, for tables that find values by them. Never believed to be the values.

/// Odd numbers without a pattern in their bits.
const ODD: [u64; 2] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];

/// Both halves of the product, each of which depends on all bits of both numbers.
#[inline]
fn folded(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product >> 64) as u64 ^ product as u64
}

/// A number scattered over all bits.
#[inline]
pub fn scattered(value: u64) -> u64 {
    folded(value ^ ODD[0], ODD[1])
}

/// Two numbers scattered over all bits of one.
#[inline]
pub fn both(left: u64, right: u64) -> u64 {
    folded(left ^ ODD[0], right ^ ODD[1])
}
