//! Errors of descriptions and steps.

use insonate_settings::SettingError;

/// An error of this crate. A step that fails changes neither needle nor tissue.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeedleError {
    /// A setting or an input is not allowed.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The tip would cut into bone.
    #[error("the tip would enter bone (`{layer}`) at {position:?} m; choose another path")]
    Bone {
        /// Name of the layer.
        layer: String,
        /// Position of the tip in world [m].
        position: [f64; 3],
    },
    /// The axial force exceeds the buckling load of the part outside the tissue.
    #[error(
        "the needle buckles: its axial force is {force:.2} N, and {free_length:.3} m between hub and skin hold {critical:.2} N; use a thicker or shorter needle, or a guide"
    )]
    Buckles {
        /// Axial force [N].
        force: f64,
        /// Buckling load [N].
        critical: f64,
        /// Length from the hub to the skin [m].
        free_length: f64,
    },
    /// The needle is bent more than linear bending describes.
    #[error(
        "the slope of the needle is {slope:.2}; it must be at most {most}, because bending is computed for small slopes"
    )]
    Bent {
        /// Greatest slope.
        slope: f64,
        /// Allowed slope.
        most: f64,
    },
    /// The hub reached the skin.
    #[error("the hub reached the skin after {depth:.4} m; use a longer needle")]
    Hub {
        /// Length of the needle in the tissue [m].
        depth: f64,
    },
    /// The forces of a step did not reach a balance.
    #[error(
        "the forces on the needle are not in balance after {passes} passes; allow more of them (`settings.max_passes`), or move the base in shorter steps"
    )]
    NotSettled {
        /// Passes over all rows.
        passes: usize,
    },
    /// The equations of the lateral rows have no solution.
    #[error(
        "the tissue's compliance is not positive at the needle; the mesh or the near field of the body is wrong"
    )]
    NotPositive,
}
