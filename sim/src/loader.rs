//! Loads libmujoco when the first scene is compiled, so that a missing library gives an error that says what to do.
//!
//! The bindings declare MuJoCo's functions for the linker, and a program that is linked with libmujoco does not start without it.
//! Here each used function is defined as a jump to an address that [`load`] takes from the library, so the linker does not need the library.
//! If a function is not listed, the linker takes it from libmujoco. Then the program needs the library to start, and the test
//! `the_program_starts_without_libmujoco` fails.

#![expect(
    unsafe_code,
    reason = "functions in a library that is loaded at run time"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::SimError;

/// Version of libmujoco that the bindings are made for.
const MUJOCO_VERSION: &str = "3.17.0";

/// Environment variable with the folder of libmujoco, at build time and at run time.
const FOLDER: &str = "MUJOCO_DYNAMIC_LINK_DIR";

/// The file that [`set_library`] named.
static LIBRARY: OnceLock<PathBuf> = OnceLock::new();

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// `RTLD_NOW` of Linux.
const RTLD_NOW: c_int = 2;

macro_rules! forward {
    ($($name:ident)*) => {
        /// Addresses of MuJoCo's functions.
        #[expect(non_upper_case_globals, reason = "MuJoCo's names")]
        mod addresses {
            use super::{AtomicPtr, c_void};
            $(pub(super) static $name: AtomicPtr<c_void> = AtomicPtr::new(super::not_loaded as *mut c_void);)*
        }
        $(
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            extern "C" fn $name() {
                #[cfg(target_arch = "x86_64")]
                std::arch::naked_asm!("jmp qword ptr [rip + {}]", sym addresses::$name);
                #[cfg(target_arch = "aarch64")]
                std::arch::naked_asm!("adrp x16, {0}", "ldr x16, [x16, :lo12:{0}]", "br x16", sym addresses::$name);
            }
        )*
        const FUNCTIONS: &[(&str, &AtomicPtr<c_void>)] = &[$((concat!(stringify!($name), "\0"), &addresses::$name)),*];
    };
}

forward! {
    mj_camlight mj_comPos mj_compile mj_contactForce mj_copyModel mj_deleteData mj_deleteModel mj_deleteSpec mj_flex mj_forward
    mj_fwdAcceleration mj_fwdActuation mj_geomDistance mj_id2name mj_isSparse mj_jac mj_kinematics mj_makeData mj_name2id
    mj_objectVelocity mj_parseXML mj_parseXMLString mj_printSchema mj_resetData mj_resetDataKeyframe mj_saveXMLString mj_solveM mj_step mj_step1 mj_step2 mj_tendon
    mj_version mj_versionString mjr_changeFont mjr_defaultContext mjr_freeContext mjr_makeContext mjr_readPixels mjr_render
    mjr_setBuffer mjs_getError mjs_getWarning mjs_numWarnings mju_getLogConfig mju_setLogConfig mju_setLogHandler
    mjv_defaultCamera mjv_defaultOption mjv_defaultPerturb mjv_defaultScene mjv_freeScene mjv_makeScene mjv_updateScene
}

extern "C" fn not_loaded() {
    panic!("a scene must be compiled before any other call of MuJoCo");
}

/// Why libmujoco cannot be used.
#[derive(Debug, Clone)]
enum Failure {
    /// The loader's message.
    Missing(String),
    /// The version found.
    Version(String),
}

/// Sets the file of libmujoco, for a program that knows where it is, such as a package next to MuJoCo's own package.
///
/// The file is loaded when the first scene is compiled, unless `MUJOCO_DYNAMIC_LINK_DIR` is set. The first of several calls counts.
pub fn set_library(file: PathBuf) {
    // Later calls find the value set and change nothing.
    let _ = LIBRARY.set(file);
}

/// Loads libmujoco once per process: from `MUJOCO_DYNAMIC_LINK_DIR`, from [`set_library`], or from its folder at build time.
///
/// # Errors
/// [`SimError::MissingLibrary`], [`SimError::Version`].
pub(crate) fn load() -> Result<(), SimError> {
    static RESULT: OnceLock<Result<(), Failure>> = OnceLock::new();
    let result = RESULT.get_or_init(|| resolve(open()?));
    result.clone().map_err(|failure| match failure {
        Failure::Missing(problem) => SimError::MissingLibrary { problem },
        Failure::Version(found) => SimError::Version {
            expected: MUJOCO_VERSION,
            found,
        },
    })
}

/// Address of a symbol in a library of the system, or `None` if either does not exist.
pub(crate) fn symbol(library: &CStr, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: both names are C strings; the library stays open.
    let address = unsafe {
        let library = dlopen(library.as_ptr(), RTLD_NOW);
        if library.is_null() {
            return None;
        }
        dlsym(library, name.as_ptr())
    };
    (!address.is_null()).then_some(address)
}

fn open() -> Result<*mut c_void, Failure> {
    let in_folder = std::env::var(FOLDER).map(|folder| format!("{folder}/libmujoco.so"));
    let named = LIBRARY.get().map(|file| file.display().to_string());
    let names = in_folder
        .into_iter()
        .chain(named)
        .chain([format!("libmujoco.so.{MUJOCO_VERSION}")]);
    let mut problem = String::new();
    for name in names.filter_map(|name| CString::new(name).ok()) {
        // SAFETY: the name is a C string; libmujoco's initialisers need nothing from this program.
        let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW) };
        if !library.is_null() {
            return Ok(library);
        }
        // SAFETY: after a failure this is a message, valid until the next call on this thread.
        let message = unsafe { CStr::from_ptr(dlerror()) };
        problem = message.to_string_lossy().into_owned();
    }
    Err(Failure::Missing(problem))
}

/// Takes the addresses of all functions from the library, if it has the right version.
fn resolve(library: *mut c_void) -> Result<(), Failure> {
    for &(name, address) in FUNCTIONS {
        // SAFETY: the library is open and the name ends in a zero byte.
        address.store(
            unsafe { dlsym(library, name.as_ptr().cast()) },
            Ordering::Relaxed,
        );
    }
    let has_all = FUNCTIONS
        .iter()
        .all(|(_, address)| !address.load(Ordering::Relaxed).is_null());
    let found = if addresses::mj_versionString
        .load(Ordering::Relaxed)
        .is_null()
    {
        "without a version"
    } else {
        mujoco_rs::mujoco_version()
    };
    if has_all && found == MUJOCO_VERSION {
        Ok(())
    } else {
        Err(Failure::Version(found.to_owned()))
    }
}
