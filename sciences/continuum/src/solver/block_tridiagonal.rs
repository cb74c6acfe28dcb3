//! Symmetric matrices that couple neighbouring nodes, and their Cholesky factors.
//!
//! $$ L_{i,i} L_{i,i}^\top = D_i - L_{i,i-1} L_{i,i-1}^\top, \qquad L_{i+1,i} = B_i L_{i,i}^{-\top} $$

use nalgebra::{SMatrix, SVector};

/// Forces and moments on a node, or its displacement and rotation; world axes.
pub(crate) type NodeVector = SVector<f64, 6>;
/// Coupling of two nodes.
pub(crate) type Block = SMatrix<f64, 6, 6>;

/// The matrix.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockTridiagonal {
    pub(crate) diagonal: Vec<Block>,
    /// Block (i + 1, i).
    pub(crate) lower: Vec<Block>,
    /// Fixed degrees of freedom: node and component.
    held: Vec<(usize, usize)>,
}

impl BlockTridiagonal {
    /// Sets all entries to zero for `n_nodes`.
    pub(crate) fn reset(&mut self, n_nodes: usize) {
        self.diagonal.clear();
        self.diagonal.resize(n_nodes, Block::zeros());
        self.lower.clear();
        self.lower.resize(n_nodes - 1, Block::zeros());
        self.held.clear();
    }

    /// Fixes a degree of freedom: its row and column become those of the identity.
    pub(crate) fn hold(&mut self, node: usize, component: usize) {
        self.held.push((node, component));
        let diagonal = &mut self.diagonal[node];
        diagonal.row_mut(component).fill(0.0);
        diagonal.column_mut(component).fill(0.0);
        diagonal[(component, component)] = 1.0;
        if let Some(next) = self.lower.get_mut(node) {
            next.column_mut(component).fill(0.0);
        }
        if node > 0 {
            self.lower[node - 1].row_mut(component).fill(0.0);
        }
    }

    /// Sets the entries of fixed degrees of freedom to zero.
    pub(crate) fn clear_held(&self, vectors: &mut [NodeVector]) {
        for (node, component) in &self.held {
            vectors[*node][*component] = 0.0;
        }
    }

    /// A row of nodes `node` and `node + 1` with zeros for fixed degrees of freedom.
    pub(crate) fn without_held(&self, node: usize, row: &SVector<f64, 12>) -> SVector<f64, 12> {
        let mut free = *row;
        for (held, component) in &self.held {
            if *held == node || *held == node + 1 {
                free[6 * (held - node) + component] = 0.0;
            }
        }
        free
    }

    /// Adds `weight row rowᵀ` for a row of nodes `node` and `node + 1`.
    pub(crate) fn add_outer(&mut self, node: usize, row: &SVector<f64, 12>, weight: f64) {
        let free = self.without_held(node, row);
        let [own, next]: [NodeVector; 2] =
            [0, 6].map(|start| free.fixed_rows::<6>(start).into_owned());
        self.diagonal[node] += weight * own * own.transpose();
        if node + 1 < self.diagonal.len() {
            self.diagonal[node + 1] += weight * next * next.transpose();
            self.lower[node] += weight * next * own.transpose();
        }
    }

    /// Product with a vector.
    pub(crate) fn multiply(&self, vector: &[NodeVector], product: &mut Vec<NodeVector>) {
        product.clear();
        let own = self.diagonal.iter().zip(vector);
        product.extend(own.map(|(block, own)| block * own));
        for (idx, block) in self.lower.iter().enumerate() {
            product[idx + 1] += block * vector[idx];
            product[idx] += block.tr_mul(&vector[idx + 1]);
        }
    }
}

impl BlockTridiagonal {
    /// Solves in place, also if the matrix is not positive definite; `false` if a block is singular.
    pub(crate) fn solve_indefinite(&self, vector: &mut [NodeVector]) -> bool {
        let mut inverses = Vec::with_capacity(self.diagonal.len());
        for (node, diagonal) in self.diagonal.iter().enumerate() {
            let mut reduced = *diagonal;
            if node > 0 {
                let weights = self.lower[node - 1] * inverses[node - 1];
                reduced -= weights * self.lower[node - 1].transpose();
                let above = weights * vector[node - 1];
                vector[node] -= above;
            }
            let Some(inverse) = reduced.try_inverse() else {
                return false;
            };
            inverses.push(inverse);
        }
        for node in (0..vector.len()).rev() {
            if let Some(lower) = self.lower.get(node) {
                let below = lower.tr_mul(&vector[node + 1]);
                vector[node] -= below;
            }
            vector[node] = inverses[node] * vector[node];
        }
        true
    }
}

/// Factors of a positive definite matrix.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cholesky {
    /// Lower triangles, with inverse diagonals.
    diagonal: Vec<Block>,
    lower: Vec<Block>,
}

impl Cholesky {
    /// Factorises; `false` if the matrix is not positive definite.
    pub(crate) fn factorise(&mut self, matrix: &BlockTridiagonal) -> bool {
        self.diagonal.clone_from(&matrix.diagonal);
        self.lower.clone_from(&matrix.lower);
        for node in 0..self.diagonal.len() {
            if !factorise_block(&mut self.diagonal[node], &matrix.diagonal[node]) {
                return false;
            }
            if node < self.lower.len() {
                let below = &mut self.lower[node];
                solve_right(&self.diagonal[node], below);
                subtract_square(&mut self.diagonal[node + 1], below);
            }
        }
        true
    }

    /// Whether nothing is factorised yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Solves in place.
    pub(crate) fn solve(&self, vector: &mut [NodeVector]) {
        for node in 0..self.diagonal.len() {
            if node > 0 {
                let above = self.lower[node - 1] * vector[node - 1];
                vector[node] -= above;
            }
            let (factor, own) = (&self.diagonal[node], &mut vector[node]);
            for column in 0..6 {
                own[column] *= factor[(column, column)];
                for row in column + 1..6 {
                    own[row] -= factor[(row, column)] * own[column];
                }
            }
        }
        for node in (0..self.diagonal.len()).rev() {
            if node < self.lower.len() {
                let below = self.lower[node].tr_mul(&vector[node + 1]);
                vector[node] -= below;
            }
            let (factor, own) = (&self.diagonal[node], &mut vector[node]);
            for column in (0..6).rev() {
                for row in column + 1..6 {
                    own[column] -= factor[(row, column)] * own[row];
                }
                own[column] *= factor[(column, column)];
            }
        }
    }
}

/// Lower triangle of a block's factor, with the inverse of its diagonal. Pivots must not vanish relative to the
/// matrix's own diagonal.
fn factorise_block(block: &mut Block, original: &Block) -> bool {
    let columns = &mut block.data.0;
    for column in 0..6 {
        let pivot = columns[column][column];
        if pivot.is_nan() || pivot <= 1e-14 * original[(column, column)].abs() {
            return false;
        }
        let inverse = 1.0 / pivot.sqrt();
        let mut own = columns[column];
        for number in &mut own {
            *number *= inverse;
        }
        own[column] = inverse;
        columns[column] = own;
        for next in column + 1..6 {
            for row in next..6 {
                columns[next][row] -= own[row] * own[next];
            }
        }
    }
    true
}

/// B ← B L⁻ᵀ, column by column.
fn solve_right(factor: &Block, block: &mut Block) {
    let columns = &mut block.data.0;
    for column in 0..6 {
        let inverse = factor[(column, column)];
        let mut own = columns[column];
        for number in &mut own {
            *number *= inverse;
        }
        columns[column] = own;
        for next in column + 1..6 {
            let weight = factor[(next, column)];
            for (number, solved) in columns[next].iter_mut().zip(&own) {
                *number -= weight * solved;
            }
        }
    }
}

/// D ← D − B Bᵀ.
fn subtract_square(diagonal: &mut Block, block: &Block) {
    let columns = &block.data.0;
    for (row, target) in diagonal.data.0.iter_mut().enumerate() {
        for column in columns {
            let weight = column[row];
            for (number, factor) in target.iter_mut().zip(column) {
                *number -= weight * factor;
            }
        }
    }
}
