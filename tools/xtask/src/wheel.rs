//! Fetches the wheel of the Python package `mujoco` with pip, and extracts libmujoco.
//!
//! The wheels of all CPython versions contain the same library, so the wheel of one fixed version is fetched, with any
//! Python 3.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::command::succeeds;
use crate::library::{LINK_NAME, VERSION};

/// The CPython whose wheel is fetched.
const PYTHON_VERSION: &str = "3.11";

/// Extracts the library and the headers from a wheel; `zipfile` keeps every path inside the folder.
const UNPACK: &str = "
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
wanted = ('mujoco/libmujoco.so.', 'mujoco/include/')
wheel.extractall(sys.argv[2], [name for name in wheel.namelist() if name.startswith(wanted)])
";

/// Name of a Python 3 interpreter that can be started.
pub(crate) fn python() -> Result<&'static str> {
    let check = "import sys; sys.exit(sys.version_info < (3, 8))";
    ["python3", "python"]
        .into_iter()
        .find(|python| succeeds(Command::new(python).args(["-c", check])))
        .context(
            "there is no Python 3 (3.8 or newer) on the PATH, and it fetches libmujoco\n  \
             - install it, for example `apt-get install python3 python3-pip`, and run the command again\n  \
             - or set MUJOCO_DYNAMIC_LINK_DIR to the folder of a libmujoco.so of your own",
        )
}

/// Downloads the wheel into a folder and returns its path.
pub(crate) fn download(python: &str, folder: &Path) -> Result<PathBuf> {
    let platforms = platforms()?;
    if !succeeds(Command::new(python).args(["-m", "pip", "--version"])) {
        bail!(
            "{python} has no pip, which fetches libmujoco\n  \
             - install it, for example `apt-get install python3-pip` or `{python} -m ensurepip`, \
             and run the command again\n{}",
            alternatives(&platforms)
        );
    }
    // First the wheel of a CPython that is known to exist, then one for the current Python.
    let mut exact = vec!["--implementation", "cp", "--python-version", PYTHON_VERSION];
    exact.extend(
        platforms
            .iter()
            .flat_map(|platform| ["--platform", platform]),
    );
    let Err(complaint) = pip_download(python, folder, &exact)? else {
        return only_file(folder);
    };
    if !is_offline(&complaint) && pip_download(python, folder, &[])?.is_ok() {
        return only_file(folder);
    }
    let reason = if is_offline(&complaint) || complaint.contains("from versions: none") {
        "no package index answered, or none knows it"
    } else {
        "the package index that pip uses does not have it"
    };
    let excerpt: Vec<&str> = complaint
        .lines()
        .filter(|line| line.contains("ERROR"))
        .collect();
    bail!(
        "cannot fetch the wheel of mujoco {VERSION}: {reason}\n  pip said: {}\n  \
         - check the network and pip's settings (`{python} -m pip config list`), and run the command again\n{}",
        excerpt.first().unwrap_or(&"nothing"),
        alternatives(&platforms)
    )
}

/// Takes `libmujoco.so.*` and the headers out of a wheel into `prefix/lib` and `prefix/include`.
pub(crate) fn unpack(python: &str, wheel: &Path, prefix: &Path) -> Result<()> {
    ensure!(wheel.is_file(), "there is no wheel {}", wheel.display());
    let unpacked = prefix.join("unpacked");
    let output = Command::new(python)
        .args(["-c", UNPACK])
        .args([wheel, &unpacked])
        .output()
        .with_context(|| format!("cannot start {python}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last = complaint.lines().last().unwrap_or("nothing").to_owned();
        bail!(
            "cannot read {} as a wheel\n  python said: {last}",
            wheel.display()
        );
    }
    let package = unpacked.join("mujoco");
    let library = library_file(&package).with_context(|| {
        format!(
            "{} does not contain {LINK_NAME}: it is not a wheel of mujoco for Linux",
            wheel.display()
        )
    })?;
    let name = library.file_name().expect("it was found by its name");
    fs::create_dir_all(prefix.join("lib"))?;
    fs::rename(&library, prefix.join("lib").join(name))?;
    std::os::unix::fs::symlink(name, prefix.join("lib").join(LINK_NAME))?;
    fs::rename(package.join("include"), prefix.join("include"))
        .with_context(|| format!("{} holds no headers", wheel.display()))?;
    fs::remove_dir_all(&unpacked)?;
    Ok(())
}

/// Runs pip; the inner error is the output of pip.
fn pip_download(python: &str, folder: &Path, which: &[&str]) -> Result<Result<(), String>> {
    let output = Command::new(python)
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(["--no-deps", "--only-binary=:all:", "--dest"])
        .arg(folder)
        .args(which)
        .arg(format!("mujoco=={VERSION}"))
        .output()
        .with_context(|| format!("cannot start {python}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(if output.status.success() {
        Ok(())
    } else {
        Err(complaint)
    })
}

/// Whether pip's error says that it could not reach its index.
fn is_offline(complaint: &str) -> bool {
    complaint.contains("Retrying (") || complaint.contains("ConnectionError")
}

/// The wheel platforms for this machine, newest first.
fn platforms() -> Result<[String; 2]> {
    let arch = std::env::consts::ARCH;
    if std::env::consts::OS != "linux"
        || cfg!(target_env = "musl")
        || !matches!(arch, "x86_64" | "aarch64")
    {
        bail!(
            "set-up knows Linux with glibc on x86-64 and aarch64, this is {} on {arch}\n  \
             - use a Linux machine, container, virtual machine or (Windows) WSL\n  \
             - or set MUJOCO_DYNAMIC_LINK_DIR to the folder of a libmujoco {VERSION} of your own",
            std::env::consts::OS
        );
    }
    Ok([
        format!("manylinux_2_28_{arch}"),
        format!("manylinux_2_27_{arch}"),
    ])
}

/// Alternatives without pip or network on this machine.
fn alternatives(platforms: &[String]) -> String {
    format!(
        "  - or, where there is a network, run\n      \
         python3 -m pip download mujoco=={VERSION} --no-deps --only-binary=:all: \
         --python-version {PYTHON_VERSION} --platform {}\n    \
         copy the file here and run `cargo xtask setup --wheel FILE`\n  \
         - or set MUJOCO_DYNAMIC_LINK_DIR to the folder of a {LINK_NAME} {VERSION} of your own",
        platforms[0]
    )
}

/// The only file of a folder that pip has filled.
fn only_file(folder: &Path) -> Result<PathBuf> {
    let entry = fs::read_dir(folder)?
        .next()
        .context("pip succeeded and left no file")?;
    Ok(entry?.path())
}

/// `libmujoco.so.<version>` in the unpacked package.
fn library_file(package: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(package).ok()?;
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("libmujoco.so."))
        })
}
