//! Ranges of the settings that experiments share.

/// Target force along the probe's axis [N].
pub(super) const FORCE: [f64; 2] = [0.5, 40.0];
/// Force at which a run ends [N].
pub(super) const MAX_FORCE: [f64; 2] = [1.0, 500.0];
/// Speed of the probe [m/s].
pub(super) const SPEED: [f64; 2] = [0.001, 0.2];
/// Height above the skin from which the probe starts [m].
pub(super) const CLEARANCE: [f64; 2] = [0.001, 0.1];
/// Depth below the skin at rest [m].
pub(super) const MAX_DEPTH: f64 = 0.08;
/// Time at the greatest depth [s].
pub(super) const HOLD: [f64; 2] = [0.0, 60.0];
