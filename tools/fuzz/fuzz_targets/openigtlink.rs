//! Contract: any bytes from a client give a rigid, finite transform, no result, or an error.

#![no_main]

use insonate_openigtlink::{HEADER_SIZE, Header, crc64, decode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((head, body)) = input.split_first_chunk::<HEADER_SIZE>() else {
        return;
    };
    let Ok(mut header) = Header::decode(head) else {
        return;
    };
    let _ = decode(&header, body);
    // A fuzzer does not guess checksums.
    (header.body_size, header.crc) = (body.len() as u64, crc64(body));
    if let Ok(Some(transform)) = decode(&header, body) {
        let numbers = transform.rotation.iter().flatten().chain(&transform.translation);
        assert!(numbers.copied().all(f64::is_finite));
    }
});
