//! Checksum of bodies: CRC-64/ECMA-182.

/// x⁶⁴ + x⁶² + … of ECMA-182, annex B.
const POLYNOMIAL: u64 = 0x42F0_E1EB_A9EA_3693;

const TABLE: [u64; 256] = table();

const fn table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = (byte as u64) << 56;
        let mut bit = 0;
        while bit < 8 {
            let carry = remainder >> 63 == 1;
            remainder <<= 1;
            if carry {
                remainder ^= POLYNOMIAL;
            }
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
}

/// Checksum of bytes.
pub fn crc64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |crc, byte| {
        let index = (crc >> 56) as u8 ^ byte;
        TABLE[usize::from(index)] ^ (crc << 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check value of the catalogue of CRCs.
    #[test]
    fn the_check_value_is_right() {
        assert_eq!(crc64(b"123456789"), 0x6c40_df5f_0b49_7347);
        assert_eq!(crc64(b""), 0);
    }
}
