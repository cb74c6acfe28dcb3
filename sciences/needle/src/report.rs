//! Forces and shape after a step.

use nalgebra::Vector3;

/// Forces and shape after a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Force of the needle on what holds its base, in world [N]: minus the sum of its forces on the tissue.
    pub force_on_base: Vector3<f64>,
    /// Torque on what holds the base, about the hub, in world [N·m].
    pub torque_on_base: Vector3<f64>,
    /// Axial force that the base exerts, positive while it pushes [N]: `tip_force` plus the sum of `friction`.
    pub axial_force: f64,
    /// Axial force of the tip on the tissue [N].
    pub tip_force: f64,
    /// Axial force of the shaft on each layer [N], positive towards the tip, shape `[n_layers]`.
    pub friction: Vec<f64>,
    /// Sum of the lengths of the lateral forces on the shaft [N].
    pub lateral_force: f64,
    /// Length of shaft in the channel [m].
    pub inserted_length: f64,
    /// Position of the tip in world [m].
    pub tip: Vector3<f64>,
    /// Direction of the tip in world.
    pub tip_direction: Vector3<f64>,
    /// Index of the layer in front of the tip; `None` if the tip touches no tissue.
    pub layer: Option<usize>,
    /// Whether the tip presses a surface that it has not broken.
    pub is_pressing: bool,
    /// Surfaces that the tip has broken since the needle was made.
    pub n_punctures: u32,
    /// Length of channel that the tip has cut since the needle was made [m].
    pub cut_length: f64,
    /// Whether all forces are in balance. Only in a body whose forces last for one step can it be false: the tip then still had to cut when
    /// the passes of [`Settings::max_passes`](crate::Settings::max_passes) were used up.
    pub is_settled: bool,
}
