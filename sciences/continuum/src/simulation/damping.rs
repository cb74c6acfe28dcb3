//! Damping of linearisations, so that a rod between close walls settles.
//!
//! Linearised walls are planes, and a rod that slides around a bend between them can oscillate endlessly. A stiffness
//! on the diagonal (Levenberg 1944, <https://doi.org/10.1090/qam/10666>) shortens the motion along walls; in the limit
//! linearisations only move the rod out of walls. It changes no equilibrium.

/// Maximum number of corrections after a step that enters a wall.
pub(super) const MAX_CORRECTIONS: usize = 16;

/// Linearisations of one-step mode without damping.
const FREE_CORRECTIONS: usize = 3;

/// Linearisations after which the progress of a converged step is judged, and the required reduction of
/// the residual.
const WINDOW: usize = 4;
const PROGRESS: f64 = 0.8;

/// Damping of a step's linearisations.
#[derive(Debug)]
pub(super) struct Damping {
    is_converging: bool,
    /// Whether the remaining linearisations of a converged step only move the rod out of walls.
    is_leaving: bool,
    n_settling: usize,
    level: usize,
    /// Least residual in this window, and in the previous one.
    least: f64,
    before: f64,
}

impl Damping {
    /// No damping at first. It begins if a step, of one linearisation or of several
    /// (`is_converging`), does not settle.
    pub(super) fn new(is_converging: bool) -> Self {
        Self {
            is_converging,
            is_leaving: false,
            n_settling: 0,
            level: 0,
            least: f64::INFINITY,
            before: f64::INFINITY,
        }
    }

    /// Damping level of the next linearisation. 0 is no damping; each level is eight times the
    /// previous one.
    ///
    /// `is_settling`: whether base and inserted length have their target values; `is_clear`: whether the rod is out of
    /// walls; `n_left`: remaining number of linearisations.
    pub(super) fn level(
        &mut self,
        is_settling: bool,
        is_clear: bool,
        residual: f64,
        n_left: usize,
    ) -> usize {
        self.is_leaving |= self.is_converging && n_left == MAX_CORRECTIONS && !is_clear;
        if self.is_leaving {
            self.level += 1;
        } else if !is_settling {
            *self = Self::new(self.is_converging);
        } else if !self.is_converging {
            self.n_settling += 1;
            self.level = self.n_settling.saturating_sub(FREE_CORRECTIONS);
        } else {
            self.n_settling += 1;
            self.least = self.least.min(residual);
            if self.n_settling.is_multiple_of(WINDOW) {
                self.level += usize::from(self.least > PROGRESS * self.before);
                self.before = std::mem::replace(&mut self.least, f64::INFINITY);
            }
        }
        self.level
    }
}
