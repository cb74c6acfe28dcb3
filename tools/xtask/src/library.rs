//! MuJoCo's version and processor in a folder.
//!
//! Nothing is executed: the version is read from the library's own name (ELF `SONAME`) and from `mujoco.h`.

use std::fmt;
use std::fs;
use std::path::Path;

/// MuJoCo's version that insonate links; the bindings (`mujoco-rs` in Cargo.toml) determine it.
pub(crate) const VERSION: &str = "3.17.0";

/// The name that the linker looks for.
pub(crate) const LINK_NAME: &str = "libmujoco.so";

/// Reason for which a folder's libmujoco cannot be linked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// `libmujoco.so` or a header is missing.
    Missing(&'static str),
    /// The library or the headers have another version; `None` if they contain no version.
    Version(&'static str, Option<String>),
    /// The library is for another processor.
    Processor,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(file) => write!(f, "there is no {file}"),
            Self::Version(what, Some(version)) => {
                write!(f, "{what} is of MuJoCo {version}, insonate needs {VERSION}")
            }
            Self::Version(what, None) => {
                write!(
                    f,
                    "{what} does not say its version, insonate needs MuJoCo {VERSION}"
                )
            }
            Self::Processor => {
                write!(
                    f,
                    "{LINK_NAME} is for a processor other than {}",
                    std::env::consts::ARCH
                )
            }
        }
    }
}

/// Checks a folder with `lib/` and `include/`, as made by the set-up.
pub(crate) fn check_prefix(folder: &Path) -> Result<(), Fault> {
    check_library(&folder.join("lib"))?;
    check_header(&folder.join("include/mujoco/mujoco.h"))
}

/// Checks that a folder holds a `libmujoco.so` that insonate can link.
pub(crate) fn check_library(folder: &Path) -> Result<(), Fault> {
    let library = fs::read(folder.join(LINK_NAME)).map_err(|_| Fault::Missing(LINK_NAME))?;
    match library_version(&library) {
        Some(version) if version == VERSION => {}
        version => return Err(Fault::Version(LINK_NAME, version)),
    }
    if is_for_this_processor(&library) {
        Ok(())
    } else {
        Err(Fault::Processor)
    }
}

fn check_header(file: &Path) -> Result<(), Fault> {
    let header = fs::read_to_string(file).map_err(|_| Fault::Missing("mujoco.h"))?;
    match header_version(&header) {
        Some(version) if version == VERSION => Ok(()),
        version => Err(Fault::Version("mujoco.h", version)),
    }
}

/// The version in the library's own name, `libmujoco.so.3.17.0` and a zero byte.
fn library_version(library: &[u8]) -> Option<String> {
    let prefix = b"libmujoco.so.";
    let mut rest = library;
    while let Some(start) = rest.iter().position(|&byte| byte == prefix[0]) {
        rest = &rest[start..];
        if let Some(tail) = rest.strip_prefix(prefix) {
            let end = tail
                .iter()
                .position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
            if end > 0 && tail[end] == 0 {
                return String::from_utf8(tail[..end].to_vec()).ok();
            }
        }
        rest = &rest[1..];
    }
    None
}

/// The version in `mujoco.h`: `3017000` is 3.17.0; up to 3.3 it was `324` for 3.2.4.
fn header_version(header: &str) -> Option<String> {
    let line = header
        .lines()
        .find_map(|line| line.strip_prefix("#define mjVERSION_HEADER"))?;
    let number: u32 = line.trim().parse().ok()?;
    let (major_unit, minor_unit) = if number < 100_000 {
        (100, 10)
    } else {
        (1_000_000, 1_000)
    };
    let (major, rest) = (number / major_unit, number % major_unit);
    Some(format!(
        "{major}.{}.{}",
        rest / minor_unit,
        rest % minor_unit
    ))
}

/// Compares the `e_machine` field of the ELF header with the current processor.
fn is_for_this_processor(library: &[u8]) -> bool {
    let machine = library
        .get(18..20)
        .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    match std::env::consts::ARCH {
        "x86_64" => machine == Some(62),
        "aarch64" => machine == Some(183),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fewest bytes that look like a libmujoco of this version for this processor.
    fn library(version: &str) -> Vec<u8> {
        let machine: u16 = if cfg!(target_arch = "aarch64") {
            183
        } else {
            62
        };
        let mut bytes = vec![0; 18];
        bytes.extend(machine.to_le_bytes());
        bytes.extend(b"llibmujoco.so.%d libmujoco.so.");
        bytes.extend(version.as_bytes());
        bytes.push(0);
        bytes
    }

    fn prefix(library_version: &str, header_number: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("lib")).unwrap();
        fs::create_dir_all(folder.path().join("include/mujoco")).unwrap();
        fs::write(
            folder.path().join("lib/libmujoco.so"),
            library(library_version),
        )
        .unwrap();
        let header = format!("// header\n#define mjVERSION_HEADER {header_number}\n");
        fs::write(folder.path().join("include/mujoco/mujoco.h"), header).unwrap();
        folder
    }

    #[test]
    fn the_right_version_is_accepted() {
        assert_eq!(check_prefix(prefix("3.17.0", "3017000").path()), Ok(()));
    }

    #[test]
    fn another_version_is_named() {
        let fault = check_prefix(prefix("3.2.4", "3017000").path()).unwrap_err();
        assert_eq!(fault, Fault::Version(LINK_NAME, Some("3.2.4".into())));
        let fault = check_prefix(prefix("3.17.0", "324").path()).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "mujoco.h is of MuJoCo 3.2.4, insonate needs 3.17.0"
        );
        let fault = check_prefix(prefix("", "3017000").path()).unwrap_err();
        assert_eq!(fault, Fault::Version(LINK_NAME, None));
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(check_prefix(folder.path()), Err(Fault::Missing(LINK_NAME)));
        let folder = prefix("3.17.0", "3017000");
        fs::remove_file(folder.path().join("include/mujoco/mujoco.h")).unwrap();
        assert_eq!(check_prefix(folder.path()), Err(Fault::Missing("mujoco.h")));
    }

    #[test]
    fn a_library_for_another_processor_is_refused() {
        let folder = prefix("3.17.0", "3017000");
        let mut bytes = library("3.17.0");
        bytes[18] = 3;
        fs::write(folder.path().join("lib/libmujoco.so"), bytes).unwrap();
        assert_eq!(check_prefix(folder.path()), Err(Fault::Processor));
    }
}
