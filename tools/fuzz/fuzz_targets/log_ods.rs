//! Contract: any file that is read as a spreadsheet of LibreOffice gives a log or an error.

#![no_main]

use insonate_tables::Format;
use libfuzzer_sys::fuzz_target;

mod log;

fuzz_target!(|bytes: &[u8]| log::read(Format::Ods, bytes));
