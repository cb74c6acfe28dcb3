//! `cargo xtask setup`: makes libmujoco available to the build.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::command::root;
use crate::library::{self, Fault, LINK_NAME, VERSION};
use crate::wheel;

/// The variable by which `mujoco-rs` finds the library; `.cargo/config.toml` sets its default.
pub(crate) const LINK_DIR: &str = "MUJOCO_DYNAMIC_LINK_DIR";

/// Options of the set-up.
#[derive(Debug, Default)]
pub(crate) struct SetupOptions {
    /// Replace the content of `.mujoco/`.
    pub(crate) force: bool,
    /// The wheel that contains libmujoco; without it pip fetches one.
    pub(crate) wheel: Option<PathBuf>,
    /// Print a message also if there is nothing to do.
    pub(crate) verbose: bool,
}

/// Prepares `.mujoco/`, unless it is ready or the user links another libmujoco.
pub(crate) fn ensure(options: &SetupOptions) -> Result<()> {
    let prefix = root().join(".mujoco");
    if let Some(folder) = std::env::var_os("MUJOCO_STATIC_LINK_DIR") {
        eprintln!(
            "note: MUJOCO_STATIC_LINK_DIR is set, the build links {}/libmujoco.a and not {LINK_NAME}",
            folder.display()
        );
    }
    if let Some(folder) = users_own_folder(&prefix.join("lib")) {
        return check_users_own(&folder);
    }
    if !options.force && options.wheel.is_none() {
        match library::check_prefix(&prefix) {
            Ok(()) => {
                if options.verbose {
                    eprintln!("libmujoco {VERSION} is in {}", prefix.display());
                }
                return Ok(());
            }
            Err(Fault::Missing(_)) => {}
            Err(fault) => bail!(
                "{}: {fault}\n  - run `cargo xtask setup --force` to replace it",
                prefix.display()
            ),
        }
    }
    install(options, &prefix)?;
    eprintln!("libmujoco {VERSION} is in {}", prefix.display());
    Ok(())
}

/// The folder that the user's environment names instead of the default.
fn users_own_folder(ours: &Path) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(LINK_DIR)?);
    let is_same = matches!((folder.canonicalize(), ours.canonicalize()), (Ok(a), Ok(b)) if a == b);
    // A relative path is refused later in any case: build scripts run in other folders.
    let is_ours = folder == ours || (is_same && folder.is_absolute());
    (!is_ours).then_some(folder)
}

/// Checks the user's own library; nothing is fetched then.
fn check_users_own(folder: &Path) -> Result<()> {
    let advice = format!("  - unset {LINK_DIR} to let `cargo xtask setup` fetch MuJoCo {VERSION}");
    if folder.is_relative() {
        bail!(
            "{LINK_DIR} is {}, which is not an absolute path\n{advice}",
            folder.display()
        );
    }
    if let Err(fault) = library::check_library(folder) {
        bail!("{LINK_DIR} is {}: {fault}\n{advice}", folder.display());
    }
    eprintln!(
        "note: {LINK_DIR} is set, the build links libmujoco of {}",
        folder.display()
    );
    Ok(())
}

/// Fills a temporary folder next to `.mujoco/`, checks it, and renames it to `.mujoco/`.
fn install(options: &SetupOptions, prefix: &Path) -> Result<()> {
    let python = wheel::python()?;
    let temporary = TemporaryFolder::next_to(prefix)?;
    let wheel = if let Some(wheel) = &options.wheel {
        wheel.clone()
    } else {
        eprintln!("fetching libmujoco {VERSION} from the Python package mujoco (26 MB)");
        wheel::download(python, &temporary.folder("download")?)?
    };
    let fresh = temporary.folder("fresh")?;
    wheel::unpack(python, &wheel, &fresh)?;
    if let Err(fault) = library::check_prefix(&fresh) {
        bail!(
            "{} does not serve: {fault}\n  - give the wheel of mujoco {VERSION} for this machine",
            wheel.display()
        );
    }
    replace(prefix, &fresh, &temporary.path.join("replaced"))
}

/// Renames `fresh` to `prefix`; the previous folder is renamed to `replaced`.
fn replace(prefix: &Path, fresh: &Path, replaced: &Path) -> Result<()> {
    if prefix.symlink_metadata().is_ok() {
        fs::rename(prefix, replaced)
            .with_context(|| format!("cannot replace {}", prefix.display()))?;
    }
    match fs::rename(fresh, prefix) {
        // Another set-up was faster; its result is valid.
        Err(_) if library::check_prefix(prefix).is_ok() => Ok(()),
        renamed => renamed.with_context(|| format!("cannot create {}", prefix.display())),
    }
}

/// A folder of this process on the same file system as its neighbour, removed when dropped.
struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    fn next_to(neighbour: &Path) -> Result<Self> {
        let mut name = neighbour.as_os_str().to_owned();
        name.push(format!("-{}", std::process::id()));
        let path = PathBuf::from(name);
        fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { path })
    }

    /// Creates a folder inside.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        fs::create_dir(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("note: cannot remove {}: {error}", self.path.display());
        }
    }
}
