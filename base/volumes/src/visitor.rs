//! Reading of a file's labels block by block, without keeping them.

use crate::frame::{VoxelFrame, check_count, check_frame};

/// Receiver of a file's labels.
pub(crate) trait VoxelVisitor {
    /// Receives the grid before any labels.
    fn grid(&mut self, count: [usize; 3], frame: VoxelFrame) -> Result<(), String>;

    /// Receives labels from the voxel `start` on. Voxels of label 0 may be left out.
    fn labels(&mut self, start: u64, labels: &[i64]) -> Result<(), String>;
}

/// Checks a grid and hands it over.
pub(crate) fn hand_over(
    field: &str,
    count: [usize; 3],
    frame: VoxelFrame,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<u64, String> {
    let n = check_count(count, most).map_err(|problem| format!("{field}: {problem}"))?;
    check_frame(count, &frame)?;
    visitor.grid(count, frame)?;
    Ok(n as u64)
}
