//! The machine, for the figures of time.

use std::{fs, thread};

/// Number of cores that the program may use.
pub(super) fn n_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Number of cores and name of the processor. Systems without `/proc/cpuinfo` state the architecture instead of a name.
pub(super) fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = model.map_or(std::env::consts::ARCH, |(_, name)| name);
    format!("{} cores of {name}", n_cores())
}
