//! The indentation up to which the forces of a scene's torso hold.

use insonate_models::Scene;
use insonate_models::torsos::{self, TorsoKind};

/// Limit of a scene. A scene without a torso, and a torso of an unknown kind, have no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DepthLimit {
    kind: Option<&'static TorsoKind>,
}

impl DepthLimit {
    pub(super) fn of(scene: &Scene) -> Self {
        let torso = scene.torso.as_ref();
        Self {
            kind: torso.and_then(|torso| torsos::by_name(torso.name).ok()),
        }
    }

    /// The limit [m].
    pub(super) fn depth(self) -> Option<f64> {
        self.kind.map(|kind| kind.max_depth)
    }

    /// What is said of an indentation [m] that exceeds the limit by more than a `tolerance` [m].
    pub(super) fn exceeded(self, indentation: f64, tolerance: f64) -> Option<String> {
        let kind = self
            .kind
            .filter(|kind| indentation > kind.max_depth + tolerance)?;
        let deeper = torsos::ALL
            .iter()
            .filter(|it| it.max_depth > kind.max_depth);
        let names: Vec<&str> = deeper.map(|kind| kind.name).collect();
        let others = if names.is_empty() {
            String::new()
        } else {
            format!(" (deeper: {})", names.join(", "))
        };
        Some(format!(
            "forces of the torso `{}` hold up to {:.0} mm{others}",
            kind.name,
            1e3 * kind.max_depth,
        ))
    }

    /// Warning about the largest indentation [m] of an experiment that goes on beyond the limit.
    pub(super) fn warning(self, largest: f64) -> Option<String> {
        let limit = self.exceeded(largest, 0.0)?;
        Some(format!(
            "the probe was {:.1} mm below the resting skin; {limit}",
            1e3 * largest
        ))
    }
}
