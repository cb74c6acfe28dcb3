//! Sound in a layered plane, by finite differences: an independent reference.
//!
//! ```text
//! ρ ∂v/∂t = −∇p,   ∂p/∂t = −ρ c² ∇·v
//! ```
//!
//! on a staggered grid, of fourth order in space and second in time (Virieux 1986, doi:10.1190/1.1442147; Levander 1988,
//! doi:10.1190/1.1442422), without loss.
//! The plane is symmetric about x = 0, so only x > 0 is computed; the other sides absorb.

/// Width of a cell [m]: a tenth of the wavelength of 7.6 MHz.
pub(crate) const CELL: f64 = 20e-6;
/// Width of the absorbing layer at each side [cells].
const SPONGE: usize = 40;
/// Share that is absorbed in a step at the outer edge.
const ABSORBED: f32 = 0.08;
/// Courant number: with a small one, the time step adds no error.
const COURANT: f64 = 0.3;
/// Mirrored or constant cells at each side, for the stencil.
const GHOSTS: usize = 2;

/// A medium and the array above it.
pub(crate) struct Plane {
    /// Speed of sound [m/s] and density [kg/m³] at a depth [m].
    pub(crate) medium: fn(f64) -> [f64; 2],
    /// Depth of a wire on the axis, if any [m].
    pub(crate) wire: Option<f64>,
    /// Depth of the computed domain [m].
    pub(crate) depth: f64,
    /// Half length of the array [m]; the whole array transmits at once.
    pub(crate) half_aperture: f64,
    /// Pitch of elements [m], and their width [m]; one element is at x = pitch / 2.
    pub(crate) pitch: f64,
    pub(crate) element_width: f64,
}

/// Received signals of the elements at x > 0.
pub(crate) struct Traces {
    /// Time between samples [s].
    pub(crate) step: f64,
    /// Shape `[n_elements, n_steps]`.
    pub(crate) elements: Vec<Vec<f32>>,
}

/// Pressure or velocity, with ghost cells.
struct Field {
    stride: usize,
    values: Vec<f32>,
}

impl Field {
    fn new(rows: usize, columns: usize) -> Self {
        let stride = columns + 2 * GHOSTS;
        let values = vec![0.0; (rows + 2 * GHOSTS) * stride];
        Self { stride, values }
    }

    /// A row and its ghosts, offset by a number of rows.
    fn row(&self, row: usize, down: isize) -> &[f32] {
        let first = (row + GHOSTS).wrapping_add_signed(down) * self.stride;
        &self.values[first..][..self.stride]
    }

    fn row_mut(&mut self, row: usize) -> &mut [f32] {
        let first = (row + GHOSTS) * self.stride;
        &mut self.values[first..][..self.stride]
    }
}

/// Derivative between the two middle ones of four neighbours, per cell.
fn slope(a: f32, b: f32, c: f32, d: f32) -> f32 {
    9.0 / 8.0 * (c - b) - 1.0 / 24.0 * (d - a)
}

/// Factor of damping per step, for the distance to the nearest outer edge [cells].
fn kept(from_edge: usize) -> f32 {
    let inside = 1.0 - (from_edge as f32 / SPONGE as f32).min(1.0);
    1.0 - ABSORBED * inside * inside
}

impl Plane {
    /// Transmits a pulse [s → Pa] and records for a time [s].
    pub(crate) fn listen(&self, pulse: impl Fn(f64) -> f64, duration: f64) -> Traces {
        let rows = (self.depth / CELL) as usize + 2 * SPONGE;
        let columns = (self.half_aperture / CELL) as usize + 20 + SPONGE;
        let depth = |row: f64| (row - SPONGE as f64) * CELL;
        let at: Vec<[f64; 2]> = (0..=rows)
            .map(|row| (self.medium)(depth(row as f64 + 0.5)))
            .collect();
        let fastest = at.iter().map(|[speed, _]| *speed).fold(0.0, f64::max);
        let step = COURANT * CELL / fastest;
        let compliance =
            |[speed, density]: [f64; 2]| (step / CELL * density * speed * speed) as f32;
        let mobility = |density: f64| (step / CELL / density) as f32;
        let row_kept: Vec<f32> = (0..rows).map(|row| kept(row.min(rows - 1 - row))).collect();
        let column_kept: Vec<f32> = (0..columns)
            .map(|column| kept(columns - 1 - column))
            .collect();
        let wire = self.wire.map(|wire| (wire / CELL) as usize + SPONGE);
        let sending = (self.half_aperture / CELL).round() as usize;

        let [mut p, mut vx, mut vz] = [(); 3].map(|()| Field::new(rows, columns));
        let n_elements = (self.half_aperture / self.pitch).round() as usize;
        let mut elements = vec![Vec::new(); n_elements];
        for n in 0..(duration / step) as usize {
            for row in 0..rows {
                let [_, density] = at[row];
                let below = 0.5 * (density + at[row + 1][1]);
                let own = p.row(row, 0);
                for (i, v) in vx.row_mut(row)[GHOSTS..][..columns].iter_mut().enumerate() {
                    // At the left side of the cell.
                    *v -= mobility(density) * slope(own[i], own[i + 1], own[i + 2], own[i + 3]);
                    *v *= row_kept[row] * column_kept[i];
                }
                let [a, b, c, d] = [-1, 0, 1, 2].map(|down| &p.row(row, down)[GHOSTS..]);
                for (i, v) in vz.row_mut(row)[GHOSTS..][..columns].iter_mut().enumerate() {
                    // At the lower side of the cell.
                    *v -= mobility(below) * slope(a[i], b[i], c[i], d[i]);
                    *v *= row_kept[row] * column_kept[i];
                }
                // x = 0 is the mirror plane: the normal velocity is 0.
                let v = vx.row_mut(row);
                v[GHOSTS] = 0.0;
                v[GHOSTS - 1] = -v[GHOSTS + 1];
            }
            for row in 0..rows {
                let stiffness = compliance(at[row]);
                let along = vx.row(row, 0);
                let [a, b, c, d] = [-2, -1, 0, 1].map(|down| &vz.row(row, down)[GHOSTS..]);
                for (i, p) in p.row_mut(row)[GHOSTS..][..columns].iter_mut().enumerate() {
                    let across = slope(along[i + 1], along[i + 2], along[i + 3], along[i + 4]);
                    // The wire has half the stiffness.
                    let own = if i == 0 && Some(row) == wire {
                        0.5
                    } else {
                        1.0
                    };
                    *p -= own * stiffness * (across + slope(a[i], b[i], c[i], d[i]));
                    *p *= row_kept[row] * column_kept[i];
                }
                let p = p.row_mut(row);
                (p[GHOSTS - 1], p[GHOSTS - 2]) = (p[GHOSTS], p[GHOSTS + 1]);
            }
            let face = &mut p.row_mut(SPONGE)[GHOSTS..];
            let sent = pulse(n as f64 * step) as f32;
            for pressure in &mut face[..sending] {
                *pressure += sent;
            }
            for (index, element) in elements.iter_mut().enumerate() {
                let middle = (index as f64 + 0.5) * self.pitch;
                let [from, to] = [-0.5, 0.5]
                    .map(|side| ((middle + side * self.element_width) / CELL).round() as usize);
                element.push(face[from..to].iter().sum::<f32>() / (to - from) as f32);
            }
        }
        Traces { step, elements }
    }
}
