//! Reading of a file's numbers block by block, without keeping them.

use std::io::Read;

use crate::frame::{VoxelFrame, check_count, check_frame};
use crate::numbers::Layout;

/// Receiver of a file's numbers.
pub(crate) trait VoxelVisitor {
    /// Receives the grid before any numbers.
    fn grid(&mut self, count: [usize; 3], frame: VoxelFrame) -> Result<(), String>;

    /// Reads the numbers of `n` voxels, the first index fastest.
    fn numbers(&mut self, layout: &Layout, input: &mut dyn Read, n: u64) -> Result<(), String>;
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
