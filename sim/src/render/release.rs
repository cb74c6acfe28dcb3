//! Releases the OpenGL context of a thread.
//!
//! EGL frees a destroyed context only after it is no longer current. A thread that ends with a current context keeps it, with some
//! 100 MB of pictures and driver state.

#![expect(
    unsafe_code,
    reason = "a function of libEGL, which is loaded at run time"
)]

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use crate::loader;

/// `EGLBoolean eglReleaseThread(void)` (EGL 1.5, section 3.12).
type ReleaseThread = unsafe extern "C" fn() -> u32;

/// Names of the library, as the bindings' loader tries them.
const LIBRARIES: [&CStr; 2] = [c"libEGL.so.1", c"libEGL.so"];

/// Releases the thread's current context when it is dropped. Declare it after what frees the context.
#[derive(Debug)]
pub(super) struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        if let Some(release) = release_thread() {
            // SAFETY: the function may be called at any time. Renderers make their context current before each use.
            unsafe { release() };
        }
    }
}

/// The function, or `None` without EGL.
fn release_thread() -> Option<ReleaseThread> {
    static FUNCTION: OnceLock<Option<ReleaseThread>> = OnceLock::new();
    *FUNCTION.get_or_init(|| {
        let symbol = LIBRARIES
            .iter()
            .find_map(|library| loader::symbol(library, c"eglReleaseThread"))?;
        // SAFETY: libEGL defines the function with this signature.
        Some(unsafe { std::mem::transmute::<*mut c_void, ReleaseThread>(symbol) })
    })
}
