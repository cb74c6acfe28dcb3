//! Contract: every command is in the completion scripts and has a manual page.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::process::Command;

fn done(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments)
        .output()
        .unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {problem}");
    String::from_utf8(output.stdout).unwrap()
}

/// Names in the list of commands of the help.
fn commands() -> Vec<String> {
    let help = done(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn shells_know_every_command() {
    let commands = commands();
    assert!(commands.len() > 20);
    for shell in ["bash", "zsh", "fish"] {
        let script = done(&["completions", shell]);
        for name in &commands {
            assert!(script.contains(name.as_str()), "{shell}: {name}");
        }
        assert!(script.contains("b-mode"), "{shell}: an option of scan");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    done(&["man", "--output", folder.path().to_str().unwrap()]);
    for name in commands().iter().filter(|name| *name != "help") {
        let page = fs::read_to_string(folder.path().join(format!("insonate-{name}.1"))).unwrap();
        assert!(
            page.starts_with(".ie"),
            "{name}: {}",
            &page[..page.len().min(80)]
        );
        assert!(page.contains(".SH NAME"), "{name}");
    }
    let page = fs::read_to_string(folder.path().join("insonate-psm-track.1")).unwrap();
    assert!(page.contains("trajectory"));
}
