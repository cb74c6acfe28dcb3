//! robomimic's HDF5 file (Mandlekar 2021, <https://robomimic.github.io/docs/datasets/overview.html>).
//!
//! ```text
//! data                 total, env_args (JSON), insonate (JSON: DatasetInfo)
//! ├ demo_0             num_samples, seed, success, kind, instruction
//! │  ├ actions         [n, n_actions]      ├ obs/state            [n, n_obs]
//! │  ├ rewards dones   [n]                 ├ obs/<camera>_image   [n, height, width, 3]
//! │  └ states          [n, 1 + nq + nv]    ├ obs/<signal>         [n, n_entries]
//! │                                        └ next_obs/…           the same, a step later
//! mask/train, mask/valid                   names of demonstrations; also mask/recovery, mask/failure if there are any
//! ```

mod reader;
mod writer;

pub(crate) use reader::{read, recording};
pub(crate) use writer::RobomimicWriter;

use crate::CameraInfo;

/// Name of a camera's images.
fn image_key(camera: &CameraInfo) -> String {
    format!("{}_image", camera.key())
}
