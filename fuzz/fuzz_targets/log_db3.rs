//! Contract: any file taken for a bag of ROS 2 in SQLite ends in a log or an error.

#![no_main]

use insonate_calibration::formats::Format;
use libfuzzer_sys::fuzz_target;

mod log;

fuzz_target!(|bytes: &[u8]| log::read(Format::Db3, bytes));
