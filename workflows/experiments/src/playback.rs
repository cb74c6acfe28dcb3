//! Playback speed of an episode's film: real time, or slow motion for a short episode.

/// Minimum duration of a film [s] without its last picture, which stays for a second.
const LEAST: f64 = 3.0;

/// Maximum slow-motion factor that is chosen automatically.
const SLOWEST: usize = 64;

/// Playback settings of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playback {
    /// Simulated time of a step [s].
    pub control_timestep: f64,
    /// Approximate number of frames per second of the film.
    pub frame_rate: f64,
    /// Slow-motion factor. `None` chooses a power of two so that the film lasts about four seconds.
    pub slow_motion: Option<usize>,
}

impl Playback {
    /// Slow-motion factor for an episode with `n_steps` steps.
    pub fn factor(&self, n_steps: usize) -> usize {
        let seconds = n_steps as f64 * self.control_timestep;
        self.slow_motion.unwrap_or_else(|| {
            let mut factor = 1;
            while factor < SLOWEST && factor as f64 * seconds < LEAST {
                factor *= 2;
            }
            factor
        })
    }

    /// Steps between frames. It is a power of two that divides the stride of longer episodes, so that an episode can be recorded before
    /// its
    /// length is known.
    pub fn stride(&self, n_steps: usize) -> usize {
        let per_step = self.control_timestep * self.factor(n_steps) as f64;
        let wanted = 1.0 / (self.frame_rate * per_step);
        1 << (wanted.max(1.0).log2().round() as u32)
    }

    /// Simulated time between frames [s].
    pub fn simulated_interval(&self, n_steps: usize) -> f64 {
        self.stride(n_steps) as f64 * self.control_timestep
    }

    /// Duration of a frame in the film [s].
    pub fn shown_interval(&self, n_steps: usize) -> f64 {
        self.simulated_interval(n_steps) * self.factor(n_steps) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAYBACK: Playback = Playback {
        control_timestep: 0.01,
        frame_rate: 20.0,
        slow_motion: None,
    };

    #[test]
    fn a_short_episode_is_slowed_down_until_there_is_time_to_look() {
        assert_eq!(PLAYBACK.factor(20), 16);
        assert_eq!(PLAYBACK.factor(50), 8);
        assert_eq!(PLAYBACK.factor(400), 1);
        for n_steps in 5..400 {
            let seconds = PLAYBACK.factor(n_steps) as f64 * n_steps as f64 * 0.01;
            assert!(seconds >= LEAST, "{n_steps} steps last {seconds} s");
        }
        let chosen = Playback {
            slow_motion: Some(3),
            ..PLAYBACK
        };
        assert_eq!(chosen.factor(20), 3);
    }

    #[test]
    fn frames_of_a_longer_episode_are_among_those_of_a_shorter_one() {
        for n_steps in 1..2000 {
            let (shorter, longer) = (PLAYBACK.stride(n_steps), PLAYBACK.stride(n_steps + 1));
            assert!(
                longer.is_multiple_of(shorter),
                "{n_steps}: {shorter}, {longer}"
            );
        }
        assert_eq!(PLAYBACK.stride(400), 4);
        assert!((PLAYBACK.shown_interval(20) - 0.16).abs() < 1e-12);
    }
}
