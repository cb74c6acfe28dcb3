//! Scalar fields on grids.

use insonate_settings::check_range;

use crate::TissueError;

/// Maximum number of nodes.
pub(super) const MAX_NODES: usize = 1 << 26;

/// A scalar field, sampled at the nodes of a cubic grid. The z index varies fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalarGrid {
    /// Position of the first node [m].
    pub origin: [f64; 3],
    /// Distance between neighbouring nodes [m].
    pub spacing: f64,
    /// Number of nodes along each axis.
    pub n_nodes: [usize; 3],
    /// Values at the nodes, shape `[n_x, n_y, n_z]`.
    pub values: Vec<f32>,
}

impl ScalarGrid {
    /// Samples a function of the position [m] at the nodes.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if the grid is too large.
    pub fn sample(
        field: impl Fn([f64; 3]) -> f64,
        origin: [f64; 3],
        spacing: f64,
        n_nodes: [usize; 3],
    ) -> Result<Self, TissueError> {
        let count = check_size(spacing, n_nodes)?;
        let at = |node: usize| {
            let node = unravel(n_nodes, node);
            [0, 1, 2].map(|axis| origin[axis] + spacing * node[axis] as f64)
        };
        let values = (0..count).map(|node| field(at(node)) as f32);
        Ok(Self {
            origin,
            spacing,
            n_nodes,
            values: values.collect(),
        })
    }

    /// Fails unless each node has a value that is not NaN.
    pub(super) fn check(&self) -> Result<(), TissueError> {
        let count = check_size(self.spacing, self.n_nodes)?;
        if self.values.len() != count {
            let allowed = format!("{count}, one for each node");
            return Err(TissueError::setting(
                "values.len()",
                self.values.len(),
                allowed,
            ));
        }
        let mut is_nan = false;
        for value in &self.values {
            is_nan |= value.is_nan();
        }
        if is_nan {
            return Err(TissueError::setting("values", f32::NAN, "numbers"));
        }
        Ok(())
    }

    /// Gradient at a node, per spacing; one-sided at the boundary.
    pub(super) fn gradient(&self, node: [usize; 3]) -> [f32; 3] {
        let strides = [self.n_nodes[1] * self.n_nodes[2], self.n_nodes[2], 1];
        let here: usize = (0..3).map(|axis| node[axis] * strides[axis]).sum();
        [0, 1, 2].map(|axis| {
            let back = usize::from(node[axis] > 0);
            let on = usize::from(node[axis] + 1 < self.n_nodes[axis]);
            let rise =
                self.values[here + on * strides[axis]] - self.values[here - back * strides[axis]];
            rise / (back + on).max(1) as f32
        })
    }
}

/// Total number of nodes.
pub(super) fn check_size(spacing: f64, n_nodes: [usize; 3]) -> Result<usize, TissueError> {
    check_range("spacing", spacing, [1e-6, 1e3], "m")?;
    let count = n_nodes.iter().try_fold(1_usize, |n, &m| n.checked_mul(m));
    match count {
        Some(count @ 1..=MAX_NODES) => Ok(count),
        _ => Err(TissueError::setting(
            "n_nodes",
            n_nodes,
            format!("between 1 and {MAX_NODES} in all"),
        )),
    }
}

/// Indices of a node along each axis.
pub(super) fn unravel([_, n_y, n_z]: [usize; 3], node: usize) -> [usize; 3] {
    [node / (n_y * n_z), node / n_z % n_y, node % n_z]
}
