//! Runs `insonate serve` for tests.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A server that is killed at the end of the test.
pub(crate) struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server on free ports, and returns their addresses in the order in which it tells them.
pub(crate) fn start<const N: usize>(arguments: &str) -> (Served, [String; N]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let errors = child.stderr.take().expect("it is piped");
    let served = Served(child);
    let mut lines = BufReader::new(errors).lines();
    let addresses = [(); N].map(|()| {
        let line = lines.next().expect("it says where it listens");
        let line = line.expect("it succeeds");
        let mut words = line.split([' ', ',', ':']);
        let port = words.find(|word| *word == "127.0.0.1").and(words.next());
        format!("127.0.0.1:{}", port.unwrap_or_else(|| panic!("{line}")))
    });
    (served, addresses)
}
