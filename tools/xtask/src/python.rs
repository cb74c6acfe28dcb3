//! The Python package: its wheel, and its tests on the installed wheel.
//!
//! Everything lies in virtual environments below `target/python/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::command::{cargo, root, succeeds};
use crate::library::VERSION;
use crate::setup::LINK_DIR;
use crate::wheel;

/// Builds wheels; `ziglang` links against an old C library.
const BUILDERS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.17.1"];

/// Packages for the tests, with the newest Gymnasium. pandas makes tables of logs; onnxruntime (28 MB) runs exported policies; SimpleITK (50 MB)
/// and pydicom read the files of scans; nbclient and ipykernel execute the notebooks, which plot with matplotlib. pytest-xdist runs tests on
/// all processors.
const TESTERS: [&str; 12] = [
    "gymnasium==1.4.0",
    "mujoco==3.17.0",
    "pytest>=8,<10",
    "pytest-xdist>=3.8,<4",
    "mypy>=2.4,<3",
    "pandas>=2.2,<4",
    "onnxruntime>=1.20,<2",
    "pydicom>=3,<4",
    "SimpleITK>=2.4,<3",
    "nbclient>=0.10,<1",
    "ipykernel>=6.29,<8",
    "matplotlib>=3.8,<4",
];

/// Makes pages from docstrings.
const PDOC: &str = "pdoc>=16,<17";

/// Earlier versions of Gymnasium in use, which other packages pin.
const GYMNASIUMS: [&str; 2] = ["1.1.1", "1.2.2"];

/// Training scripts and the steps of a short run of each.
const LEARNERS: [[&str; 2]; 4] = [
    ["sb3_ppo.py", "8192"],
    ["ppo.py", "8192"],
    ["rllib_ppo.py", "8192"],
    ["rllib_own_task.py", "8192"],
];

/// Builds a wheel for this machine, installs it in an empty environment, and runs the tests and the type checker there.
pub(crate) fn test() -> Result<()> {
    let wheel = build_wheel(Target::ThisMachine)?;
    // The tests compare the wheel with the CLI. It is built as a part of the tests of the workspace, with the features that these have.
    run(cargo(&[
        "test",
        "--workspace",
        "--no-run",
        "--test",
        "options",
    ]))?;
    let venv = empty_venv("ci")?;
    let mut install = pip(&venv);
    install.arg(&wheel).args(TESTERS);
    run(install)?;
    if !succeeds(Command::new("dciodvfy").arg("-version")) {
        eprintln!(
            "==> python: skipped: dciodvfy not installed (Debian package dicom3tools); DICOM files are read by pydicom alone"
        );
    }
    let tests = root().join("python/tests");
    // A file at a time, because tests of a file share what its fixtures made.
    run(pytest(&venv, &tests, "loadfile"))?;
    let mut mypy = Command::new(venv.join("bin/mypy"));
    mypy.arg("--config-file")
        .arg(settings())
        .current_dir(folder());
    run(mypy)?;
    for version in GYMNASIUMS {
        let mut install = pip(&venv);
        install.arg(format!("gymnasium=={version}"));
        run(install)?;
        run(pytest(&venv, &tests.join("test_gymnasium.py"), "load"))?;
    }
    Ok(())
}

/// Installs the package with torch, Stable-Baselines3 and Ray, and lets each learner train for a short time.
pub(crate) fn test_learners() -> Result<()> {
    let venv = empty_venv("learners")?;
    let mut install = pip(&venv);
    install.arg(format!("{}[sb3,rllib]", root().join("python").display()));
    run(install)?;
    for [script, steps] in LEARNERS {
        let mut train = Command::new(venv.join("bin/python"));
        train
            .arg(root().join("examples/python").join(script))
            .args(["--steps", steps, "--output"])
            .arg(folder().join("trained").join(script))
            .current_dir(folder());
        run(train)?;
    }
    Ok(())
}

/// Writes pages of the package, made from the docstrings of the installed wheel.
pub(crate) fn api_pages(folder: &Path) -> Result<()> {
    let wheel = build_wheel(Target::ThisMachine)?;
    let venv = empty_venv("api")?;
    let mut install = pip(&venv);
    install.arg(&wheel).arg(PDOC);
    run(install)?;
    let mut pdoc = Command::new(venv.join("bin/pdoc"));
    pdoc.args(["insonate", "--docformat", "google", "--no-show-source"])
        .arg("--output-directory")
        .arg(folder);
    run(pdoc)
}

fn folder() -> PathBuf {
    root().join("target/python")
}

fn settings() -> PathBuf {
    root().join("python/pyproject.toml")
}

/// The environment with the builders, created once.
fn tools() -> Result<PathBuf> {
    let venv = folder().join("tools");
    if !venv.join("bin/maturin").is_file() {
        make_venv(&venv)?;
        let mut install = pip(&venv);
        install.args(BUILDERS);
        run(install)?;
    }
    Ok(venv)
}

fn empty_venv(name: &str) -> Result<PathBuf> {
    let venv = folder().join(name);
    if venv.exists() {
        fs::remove_dir_all(&venv).with_context(|| format!("cannot remove {}", venv.display()))?;
    }
    make_venv(&venv)?;
    Ok(venv)
}

fn make_venv(venv: &Path) -> Result<()> {
    let python = wheel::python()?;
    ensure!(
        succeeds(Command::new(python).args(["-m", "venv"]).arg(venv)),
        "{python} cannot make the virtual environment {}: install its module venv, for example `apt-get install python3-venv`",
        venv.display()
    );
    Ok(())
}

fn pip(venv: &Path) -> Command {
    let mut command = Command::new(venv.join("bin/python"));
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        // Modules are compiled when they are imported, which few of them are.
        "--no-compile",
    ]);
    command
}

/// pytest on the installed package. `distribution` is how tests go to processes, an option of pytest-xdist. It must not run in `python/`,
/// whose sources contain no compiled module.
fn pytest(venv: &Path, tests: &Path, distribution: &str) -> Command {
    let mut command = Command::new(venv.join("bin/pytest"));
    command
        .args(["--quiet", "-p", "no:cacheprovider"])
        .args(["--numprocesses", "auto", "--dist", distribution, "-c"])
        .arg(settings())
        .arg(tests)
        .env("INSONATE_CLI", root().join("target/debug/insonate"))
        .current_dir(folder());
    command
}

/// Platform of a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Any Linux with glibc 2.28 or newer; optimised, which takes many minutes.
    AnyLinux,
    /// This machine; its dependencies are shared with the tests of the workspace.
    ThisMachine,
}

/// Builds the wheel in a folder of its own, and returns its path.
pub(crate) fn build_wheel(target: Target) -> Result<PathBuf> {
    let tools = tools()?;
    let wheels = folder().join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    provide_libmujoco()?;
    let mut command = Command::new(tools.join("bin/maturin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(tools.join("bin")).chain(std::env::split_paths(&path));
    command
        .arg("build")
        .args(match target {
            Target::AnyLinux => &["--release", "--zig", "--compatibility", "manylinux_2_28"][..],
            Target::ThisMachine => &["--compatibility", "linux"],
        })
        .arg("--manifest-path")
        .arg(root().join("python/Cargo.toml"))
        .arg("--out")
        .arg(&wheels)
        .env("PATH", std::env::join_paths(paths)?)
        .env("VIRTUAL_ENV", &tools)
        .current_dir(root());
    run(command)?;
    let entry = fs::read_dir(&wheels)?
        .next()
        .context("maturin left no wheel")?;
    Ok(entry?.path())
}

/// Copies libmujoco into the package, as the build backend does, so that the wheel runs next to any version of MuJoCo.
fn provide_libmujoco() -> Result<()> {
    let users_own = std::env::var_os(LINK_DIR).map(PathBuf::from);
    let folder = users_own.unwrap_or_else(|| root().join(".mujoco/lib"));
    let library = folder.join("libmujoco.so");
    let package = root().join("python/insonate/lib");
    fs::create_dir_all(&package)?;
    let copy = package.join(format!("libmujoco.so.{VERSION}"));
    fs::copy(&library, &copy)
        .with_context(|| format!("cannot copy {}: run `cargo xtask setup`", library.display()))?;
    Ok(())
}

fn run(mut command: Command) -> Result<()> {
    let line = format!("{command:?}");
    let status = command
        .status()
        .with_context(|| format!("cannot start {line}"))?;
    ensure!(status.success(), "{line} failed");
    Ok(())
}
