//! Confidence map of a picture (Karamalis 2012, doi:10.1016/j.media.2012.07.005).
//!
//! Confidence is the probability that a random walk over the picture's lines and samples, which avoids steps of brightness, reaches the
//! face before it reaches the deepest samples.
//! Walks from $i$ go to the eight neighbours $j$ with weights
//! $w_{ij} = e^{-\beta (|c_i - c_j| + p)}$ where $c = g (1 - e^{-\alpha l})$ is the brightness $g$ at the share $l$ of the depth, and $p$
//! is 0 along lines, $\gamma$ across and $\sqrt{2} \gamma$ diagonally.
//! The weight over the depth follows the authors' code: with $e^{-\alpha l}$ the ring-down at the face would end all walks.
//! The probabilities solve Laplace's equation with 1 at the face and 0 at the bottom.
//!
//! Lines that are not coupled are set to 0; otherwise they would look like homogeneous tissue.

use insonate_settings::check_range;

use super::banded::Banded;
use crate::{Frame, Settings, UltrasoundError};

/// Added to each weight, so that every sample is reachable.
const LEAST_WEIGHT: f64 = 1e-6;

/// Settings of a confidence map.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfidenceSettings {
    /// Growth of the weight of brightness with depth.
    pub alpha: f64,
    /// Penalty of steps of brightness.
    pub beta: f64,
    /// Penalty of leaving the line.
    pub gamma: f64,
    /// Largest number of lines and samples of the graph; frames are averaged down to it. The cost grows with lines³ × samples.
    pub nodes: [usize; 2],
    /// Levels of black and white [dB relative to the speckle of liver].
    pub levels: [f64; 2],
}

impl ConfidenceSettings {
    /// The paper's α = 2, β = 90, γ = 0.05, with the grey levels of a scanner.
    pub fn of(settings: &Settings) -> Self {
        let white = -settings.gain;
        Self {
            alpha: 2.0,
            beta: 90.0,
            gamma: 0.05,
            nodes: [128, 256],
            levels: [white - settings.dynamic_range, white],
        }
    }

    fn check(&self) -> Result<(), UltrasoundError> {
        check_range("alpha", self.alpha, [0.0, 100.0], "")?;
        check_range("beta", self.beta, [0.0, 1000.0], "")?;
        check_range("gamma", self.gamma, [0.0, 10.0], "")?;
        let [lines, samples] = self.nodes.map(|n| n as f64);
        check_range("lines of the confidence map", lines, [2.0, 192.0], "")?;
        check_range("samples of the confidence map", samples, [3.0, 512.0], "")?;
        let [black, white] = self.levels;
        check_range("black", black, [-1000.0, 1000.0], "dB")?;
        Ok(check_range("white", white, [black + 1.0, 1001.0], "dB")?)
    }
}

/// Confidence in beam space.
#[derive(Clone, Debug, PartialEq)]
pub struct Confidence {
    /// Values from 0 to 1, shape `[n_lines, n_samples]` of the frame; 0 on lines that are not coupled.
    pub values: Vec<f32>,
}

impl Confidence {
    /// Mean over all lines and samples.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.values.iter().map(|value| f64::from(*value)).sum();
        sum / self.values.len() as f64
    }
}

/// Computes the confidence map of a frame.
///
/// # Errors
/// [`UltrasoundError::Setting`]: a setting is out of range, or the frame is smaller than 2 lines of 3 samples or inconsistent in size.
pub fn confidence(
    frame: &Frame,
    settings: &ConfidenceSettings,
) -> Result<Confidence, UltrasoundError> {
    settings.check()?;
    let size = [frame.n_lines, frame.n_samples];
    let is_whole = frame.envelope.len() == size[0] * size[1] && frame.coupled.len() == size[0];
    if !is_whole || size[0] < 2 || size[1] < 3 {
        let allowed = "at least 2 lines of 3 samples, each with an envelope";
        return Err(UltrasoundError::setting("frame", size, allowed));
    }
    let lines = Cells::new(size[0], settings.nodes[0]);
    let samples = Cells::new(size[1], settings.nodes[1]);
    let graph = Graph::new(frame, settings, &lines, &samples);
    let nodes = graph.walk(settings);
    let mut values = vec![0.0; size[0] * size[1]];
    for (line, values) in values.chunks_mut(size[1]).enumerate() {
        if !frame.coupled[line] {
            continue;
        }
        let (first, second, across) = lines.between(line);
        for (sample, value) in values.iter_mut().enumerate() {
            let (before, after, along) = samples.between(sample);
            let at = |line: usize| {
                let [before, after] = [before, after].map(|row| nodes[row * lines.n + line]);
                before + along * (after - before)
            };
            *value = (at(first) + across * (at(second) - at(first))) as f32;
        }
    }
    Ok(Confidence { values })
}

/// Averaging of neighbours along an axis to nodes.
struct Cells {
    /// Number of nodes, and number of averaged values.
    n: usize,
    n_fine: usize,
}

impl Cells {
    fn new(n_fine: usize, most: usize) -> Self {
        Self {
            n: n_fine.min(most),
            n_fine,
        }
    }

    fn range(&self, node: usize) -> std::ops::Range<usize> {
        node * self.n_fine / self.n..(node + 1) * self.n_fine / self.n
    }

    /// Nodes on either side, and the weight of the second.
    fn between(&self, fine: usize) -> (usize, usize, f64) {
        let place = (fine as f64 + 0.5) * self.n as f64 / self.n_fine as f64 - 0.5;
        let place = place.clamp(0.0, (self.n - 1) as f64);
        let first = place as usize;
        (first, (first + 1).min(self.n - 1), place - first as f64)
    }
}

/// Nodes in rows of equal depth.
struct Graph {
    n_lines: usize,
    n_rows: usize,
    /// Brightness, weighted by depth.
    brightness: Vec<f64>,
    coupled: Vec<bool>,
}

impl Graph {
    fn new(frame: &Frame, settings: &ConfidenceSettings, lines: &Cells, samples: &Cells) -> Self {
        let [black, white] = settings.levels;
        // Levels that are not a number are black.
        let grey = |level: f32| (f64::from(level).max(black).min(white) - black) / (white - black);
        let mean = |line: usize, row: usize| {
            let (lines, samples) = (lines.range(line), samples.range(row));
            let coupled = lines.filter(|line| frame.coupled[*line]);
            let seen = coupled.flat_map(|line| &frame.line(line)[samples.clone()]);
            let (n, sum) = seen.fold((0.0, 0.0), |(n, sum), level| (n + 1.0, sum + grey(*level)));
            sum / f64::max(n, 1.0)
        };
        let (n_lines, n_rows) = (lines.n, samples.n);
        let mut brightness = Vec::with_capacity(n_lines * n_rows);
        for row in 0..n_rows {
            let fade = 1.0 - (-settings.alpha * row as f64 / (n_rows - 1) as f64).exp();
            brightness.extend((0..n_lines).map(|line| fade * mean(line, row)));
        }
        let coupled = (0..n_lines).map(|node| lines.range(node).any(|line| frame.coupled[line]));
        Self {
            n_lines,
            n_rows,
            brightness,
            coupled: coupled.collect(),
        }
    }

    /// Probabilities of all nodes, row by row.
    fn walk(&self, settings: &ConfidenceSettings) -> Vec<f64> {
        let n = self.n_lines;
        // The first and the last row are known.
        let n_unknown = n * (self.n_rows - 2);
        let mut laplacian = Banded::zeros(n_unknown, n + 1);
        let mut unknown = vec![0.0; n_unknown];
        for row in 0..self.n_rows - 1 {
            for line in 0..n {
                for (to_row, to_line, penalty) in self.neighbours(row, line) {
                    let [from, to] = [row * n + line, to_row * n + to_line];
                    let step = (self.brightness[from] - self.brightness[to]).abs();
                    let penalty = settings.gamma * penalty;
                    let weight = (-settings.beta * (step + penalty)).exp() + LEAST_WEIGHT;
                    let [is_first, is_last] = [row == 0, to_row == self.n_rows - 1];
                    if !is_first {
                        laplacian.add(from - n, weight);
                    }
                    if !is_last && to_row > 0 {
                        laplacian.add(to - n, weight);
                    }
                    match (is_first, is_last) {
                        (true, false) if to_row > 0 => unknown[to - n] += weight,
                        (false, false) => laplacian.set(from - n, to - n, -weight),
                        _ => {}
                    }
                }
            }
        }
        for node in (0..n_unknown).filter(|node| !self.coupled[node % n]) {
            laplacian.add(node, 1.0);
        }
        laplacian.solve(&mut unknown);
        let face = self.coupled.iter().map(|coupled| f64::from(*coupled));
        let mut nodes: Vec<f64> = face.collect();
        nodes.extend(unknown.iter().map(|value| value.clamp(0.0, 1.0)));
        nodes.resize(n * self.n_rows, 0.0);
        nodes
    }

    /// Subsequent neighbours, with the penalty of their direction; lines that are not coupled have none.
    fn neighbours(&self, row: usize, line: usize) -> impl Iterator<Item = (usize, usize, f64)> {
        const ASLANT: f64 = std::f64::consts::SQRT_2;
        const WAYS: [(usize, isize, f64); 4] =
            [(0, 1, 1.0), (1, -1, ASLANT), (1, 0, 0.0), (1, 1, ASLANT)];
        WAYS.into_iter()
            .filter_map(move |(down, sideways, penalty)| {
                let to_line = line.checked_add_signed(sideways)?;
                let is_linked =
                    row + down < self.n_rows && self.coupled[line] && *self.coupled.get(to_line)?;
                is_linked.then_some((row + down, to_line, penalty))
            })
    }
}
