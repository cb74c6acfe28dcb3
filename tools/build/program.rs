//! Build script of the program: the folder of libmujoco, and the commit that results state.

use std::env;
use std::io;
use std::process::Command;

#[path = "mujoco_rpath.rs"]
#[expect(dead_code, reason = "it has the main function of another build script")]
mod mujoco_rpath;

fn main() -> io::Result<()> {
    mujoco_rpath::link(&mut io::stdout())?;
    state_commit(&mut io::stdout())
}

/// Sets `INSONATE_COMMIT` for release builds of a checkout. Development builds would compile again after each commit.
fn state_commit(cargo: &mut impl io::Write) -> io::Result<()> {
    writeln!(cargo, "cargo::rerun-if-changed=tools/build")?;
    if env::var("PROFILE").as_deref() != Ok("release") {
        return Ok(());
    }
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    let commit = git(&["rev-parse", "--short=8", "HEAD"]);
    if let (Some(log), Some(commit)) = (log, commit) {
        writeln!(cargo, "cargo::rerun-if-changed={log}")?;
        writeln!(cargo, "cargo::rustc-env=INSONATE_COMMIT={commit}")?;
    }
    Ok(())
}

/// First line that git prints about the package's folder; `None` without git or outside a checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.to_owned();
    output.status.success().then_some(line)
}
