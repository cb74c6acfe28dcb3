//! Contract: any text gives materials with values within their ranges, or an error.

#![no_main]

use insonate_ultrasound::phantom::labels::MaterialTable;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(table) = MaterialTable::parse(text) else {
        return;
    };
    assert!(table.labels.len() <= 254);
    for material in table.labels.values().chain([&table.outside]) {
        assert!(material.impedance() > 0.0 && material.impedance().is_finite());
        assert!(!material.backscatter.is_nan() && material.backscatter <= 40.0);
        assert!(material.attenuation_at(5e6).is_finite());
    }
});
