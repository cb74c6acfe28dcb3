//! Contract: a build without the library of a format names the format's feature, and every other build reads the format.

use insonate_tables::{Format, ReadOptions, read_bytes};

/// The first bytes of a MATLAB file of version 7.3, which is HDF5.
fn matlab_7_3() -> Vec<u8> {
    let mut bytes = vec![b' '; 128];
    bytes[124..].copy_from_slice(&[0, 2, b'I', b'M']);
    bytes
}

#[test]
fn a_format_is_read_or_its_feature_is_named() {
    let cases = [
        (Format::Mcap, "bags", cfg!(feature = "bags")),
        (Format::Db3, "bags", cfg!(feature = "bags")),
        (Format::Hdf5, "hdf5", cfg!(feature = "hdf5")),
        (Format::Mat, "hdf5", cfg!(feature = "hdf5")),
        (Format::Parquet, "parquet", cfg!(feature = "parquet")),
        (Format::Xlsx, "spreadsheets", cfg!(feature = "spreadsheets")),
        (Format::Ods, "spreadsheets", cfg!(feature = "spreadsheets")),
        (Format::Csv, "default", true),
        (Format::Npy, "default", true),
        (Format::Npz, "default", true),
    ];
    let bytes = matlab_7_3();
    for (format, feature, is_built) in cases {
        let refused = read_bytes("log", format, &bytes, &ReadOptions::default())
            .expect_err("128 bytes are no log")
            .to_string();
        let advice = format!("build it with the feature `{feature}`");
        assert_eq!(refused.contains(&advice), !is_built, "{refused}");
        assert!(refused.starts_with("log"), "{refused}");
    }
}
