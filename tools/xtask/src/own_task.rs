//! Builds and runs the files that `docs/do/own-task.md` prints, exactly as printed, in a folder next to a link to
//! this checkout.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::command::{cargo, root};

/// Name of the crate in the page.
const CRATE: &str = "hover";

/// Variable with the folder of libmujoco in the page; cargo sets it for this program too.
const LIBRARY: &str = "MUJOCO_DYNAMIC_LINK_DIR";

/// Features that some derive macro of the workspace chooses and none of the page's dependencies does. Without them every crate that derives
/// anything would be built again.
const SAME_FEATURES: &str = "[build-dependencies]\nsyn = { version = \"3\", features = [\"extra-traits\", \"visit-mut\"] }\n";

/// Crates that compute in each step of the short training: unoptimised, they would take longer than they save.
const STEPPED: [&str; 5] = [
    "insonate-envs",
    "insonate-rl",
    "insonate-sim",
    "insonate-sparse",
    "insonate-tissue",
];

/// Creates the folder outside the checkout, because cargo would treat it as a part of the workspace. Build output stays
/// in `target/`.
pub(crate) fn test() -> Result<()> {
    let above = std::env::temp_dir().join(format!("insonate-own-task-{}", std::process::id()));
    fs::create_dir(&above).with_context(|| format!("cannot make {}", above.display()))?;
    let tested = test_in(&above);
    // Removes the link, not its target.
    fs::remove_dir_all(&above)?;
    tested
}

fn test_in(above: &Path) -> Result<()> {
    let page = fs::read_to_string(root().join("docs/do/own-task.md"))?;
    let folder = above.join(CRATE);
    let checkout = above.join("insonate");
    symlink(root(), &checkout)?;
    let files = files(&page);
    ensure!(
        files.len() == 3,
        "the page prints {} files, not 3",
        files.len()
    );
    for (name, content) in &files {
        let path = above.join(name);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(path, content)?;
    }
    fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let profile = above.join("profile.toml");
    fs::write(&profile, profile_of_dependencies()?)?;
    // The dependency of the page's last section is there from the start: without it other features would be chosen, and all be built twice.
    let manifest = folder.join("Cargo.toml");
    let added = part(&page, "Add `", '`').context("the page names a dependency")?;
    let dependencies = fs::read_to_string(&manifest)? + added + "\n" + SAME_FEATURES;
    fs::write(&manifest, dependencies)?;
    let main = folder.join("src/main.rs");
    run_program(&folder, &profile)?;
    fs::write(
        &main,
        with_command_line(&fs::read_to_string(&main)?, &page)?,
    )?;
    run_command_line(&folder, &profile)
}

/// The text between `start` and the next `end`.
fn part<'a>(page: &'a str, start: &str, end: char) -> Option<&'a str> {
    let (_, rest) = page.split_once(start)?;
    rest.split(end).next()
}

/// The program with the `main` of the page's last section instead of its own.
fn with_command_line(program: &str, page: &str) -> Result<String> {
    let (task, _) = program
        .split_once("fn main()")
        .context("the program has a main")?;
    let (_, block) = page
        .split_once("```rust,ignore\n")
        .context("the page has another main")?;
    let main = block.split("```").next().unwrap_or_default();
    Ok(task.to_owned() + main)
}

/// Trains and evaluates the task by the program's command line.
fn run_command_line(folder: &Path, profile: &Path) -> Result<()> {
    let trained = folder.join("trained");
    let trained = trained.to_str().context("a folder with a name in UTF-8")?;
    let short = ["--steps", "1024", "--set", "env.time.limit=0.4"];
    let lists: [&[&str]; 3] = [
        &["list"],
        &[&["train", "probe-hover", "--output", trained], &short[..]].concat(),
        &["evaluate", trained, "--episodes", "2"],
    ];
    for arguments in lists {
        let mut command = by_cargo(folder, profile);
        command.arg("--").args(arguments);
        let text = output_of(&mut command)?;
        let is_told = arguments != ["list"] || text.contains("probe-hover");
        ensure!(is_told, "{command:?} does not list probe-hover: {text}");
    }
    Ok(())
}

/// `cargo run` in the folder, whose build output stays in `target/`.
fn by_cargo(folder: &Path, profile: &Path) -> Command {
    let mut command = cargo(&["run", "--offline", "--config"]);
    command
        .arg(profile)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", root().join("target"))
        // Smaller and quicker to build; the program is the same.
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

/// Standard output of a command that succeeds.
fn output_of(command: &mut Command) -> Result<String> {
    if root().join(".mujoco/lib").exists() {
        command.env_remove(LIBRARY);
    }
    let line = format!("{command:?}");
    let output = command
        .output()
        .with_context(|| format!("cannot start {line}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("{line} failed: {text}{errors}");
    }
    Ok(text)
}

/// The part of this workspace's profile that is about other crates: with it their builds are taken over instead of made again. Those of the
/// workspace are built again, because they are at another path, and as quickly as possible.
fn profile_of_dependencies() -> Result<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let start = manifest
        .find("[profile.dev.package")
        .context("Cargo.toml has a profile for dependencies")?;
    let others = manifest[start..]
        .split("\n[")
        .filter(|section| !section.starts_with("profile.dev.package.insonate"));
    let mut profile = others.collect::<Vec<_>>().join("\n[");
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    for name in lock.lines().filter_map(|line| part(line, "name = \"", '"')) {
        if name.starts_with("insonate") {
            let level = u8::from(STEPPED.contains(&name));
            let _ = write!(
                profile,
                "\n[profile.dev.package.{name}]\nopt-level = {level}\n"
            );
        }
    }
    Ok(profile)
}

fn run_program(folder: &Path, profile: &Path) -> Result<()> {
    let by_itself = Command::new(root().join("target/debug").join(CRATE));
    for mut command in [by_cargo(folder, profile), by_itself] {
        let text = output_of(&mut command)?;
        let is_done = text.contains("step 5: reward 0.");
        ensure!(is_done, "{command:?} does not print its steps: {text}");
    }
    Ok(())
}

/// Files of the page: a line with the name in backquotes and a colon, then a block.
fn files(page: &str) -> Vec<(PathBuf, String)> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let name = line.strip_prefix('`').and_then(|it| it.strip_suffix("`:"));
        let Some(name) = name else { continue };
        let block = lines
            .by_ref()
            .skip_while(|line| !line.starts_with("```"))
            .skip(1);
        let content: Vec<&str> = block.take_while(|line| *line != "```").collect();
        files.push((name.into(), content.join("\n") + "\n"));
    }
    files
}
