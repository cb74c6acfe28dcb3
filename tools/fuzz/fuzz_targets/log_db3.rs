//! Contract: any file that is read as a ROS 2 bag in SQLite gives a log or an error.

#![no_main]

use insonate_tables::Format;
use libfuzzer_sys::fuzz_target;

mod log;

fuzz_target!(|bytes: &[u8]| log::read(Format::Db3, bytes));
