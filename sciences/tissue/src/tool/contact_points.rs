//! Points at which tissue pushes tools.

use nalgebra::Vector3;

use super::Tool;

/// A point at which tissue pushes a tool, with the mean force over one step.
///
/// The sum of a tool's forces is the force of its wrench, and the sum of their torques about the tool's origin its torque.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// Position in world, with the tool at the end of the step [m].
    pub position: Vector3<f64>,
    /// Force of the tissue on the tool in world, averaged over the step [N].
    pub force: Vector3<f64>,
}

/// An impulse of tissue on a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PointImpulse {
    /// Index of the tool.
    pub(crate) tool: usize,
    /// Vector from the tool's origin to the point, in world [m].
    pub(crate) arm: Vector3<f64>,
    /// Impulse in world [N·s].
    pub(crate) impulse: Vector3<f64>,
}

/// Contact points of all tools in the last step.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactPoints {
    /// Points of each tool; `None` if the tool does not record them. Shorter than the tools if no later tool records.
    of_tools: Vec<Option<Vec<ContactPoint>>>,
}

impl ContactPoints {
    /// Points of a step of a time [s]. Tools are at the end of the step; `records` says for which of them points are known.
    pub(crate) fn of_step<'a>(
        tools: &[Tool],
        records: impl Fn(&Tool) -> bool,
        impulses: impl IntoIterator<Item = &'a PointImpulse>,
        time: f64,
    ) -> Self {
        if !tools.iter().any(&records) {
            return Self::default();
        }
        let mut of_tools: Vec<Option<Vec<ContactPoint>>> = tools
            .iter()
            .map(|tool| records(tool).then(Vec::new))
            .collect();
        for PointImpulse { tool, arm, impulse } in impulses {
            if let Some(Some(points)) = of_tools.get_mut(*tool) {
                points.push(ContactPoint {
                    position: tools[*tool].position + arm,
                    force: impulse / time,
                });
            }
        }
        Self { of_tools }
    }

    /// Points of a tool; `None` if they are not known.
    pub(crate) fn of_tool(&self, tool: usize) -> Option<&[ContactPoint]> {
        self.of_tools.get(tool)?.as_deref()
    }

    /// Forgets the last step.
    pub(crate) fn clear(&mut self) {
        self.of_tools.clear();
    }
}
