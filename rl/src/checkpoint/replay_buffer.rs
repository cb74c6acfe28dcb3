//! The replay buffer in a checkpoint.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::sac::{Outcome, ReplayBuffer};
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

/// Counts of the replay buffer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplayCounts {
    /// Stored steps of each environment.
    steps: usize,
    /// Index of the next step to write.
    position: usize,
}

impl ReplayCounts {
    pub(super) fn of(replay: &ReplayBuffer) -> Self {
        Self {
            steps: replay.len() / replay.n_envs,
            position: replay.position,
        }
    }
}

/// Adds the buffer. Last observations of truncated episodes are in the order of their samples.
pub(super) fn add(writer: &mut TensorWriter, replay: &ReplayBuffer) {
    let (n, n_envs, n_obs) = (replay.len(), replay.n_envs, replay.n_obs);
    let last: Vec<f32> = replay
        .final_observations
        .values()
        .flatten()
        .copied()
        .collect();
    let n_last = replay.final_observations.len();
    let arrays = [
        ("observations", &replay.observations, [n, n_obs]),
        ("actions", &replay.actions, [n, replay.n_actions]),
        ("rewards", &replay.rewards, [n, 1]),
        ("final_observations", &last, [n_last, n_obs]),
        ("latest", &replay.latest, [n_envs, n_obs]),
    ];
    for (name, numbers, shape) in arrays {
        writer.add(format!("replay.{name}"), Tensor::f32(numbers, &shape));
    }
    let outcomes = replay.outcomes.iter().map(|outcome| *outcome as u8);
    writer.add("replay.outcomes", Tensor::bytes(outcomes.collect()));
}

/// Reads the buffer from the file into an empty one.
pub(super) fn take(
    file: &mut TensorFile,
    counts: &ReplayCounts,
    replay: &mut ReplayBuffer,
) -> Result<(), RlError> {
    let (steps, capacity, n_obs) = (counts.steps, replay.capacity, replay.n_obs);
    let expected = if steps < capacity { Some(steps) } else { None };
    let is_valid = steps <= capacity
        && counts.position < capacity
        && expected.is_none_or(|position| position == counts.position);
    if !is_valid {
        let position = counts.position;
        return Err(file.invalid(format!(
            "has a replay buffer of {steps} steps at {position}, {capacity} at most"
        )));
    }
    let n = steps * replay.n_envs;
    replay.position = counts.position;
    replay.observations = file.take_f32("replay.observations", &[n, n_obs])?;
    replay.actions = file.take_f32("replay.actions", &[n, replay.n_actions])?;
    replay.rewards = file.take_f32("replay.rewards", &[n, 1])?;
    replay.latest = file.take_f32("replay.latest", &[replay.n_envs, n_obs])?;
    let outcomes = file.take_bytes("replay.outcomes", n)?;
    let outcomes: Option<Vec<Outcome>> = outcomes.into_iter().map(outcome).collect();
    replay.outcomes = outcomes
        .ok_or_else(|| file.invalid("has outcomes of another kind in its replay buffer"))?;
    let truncated: Vec<usize> = (0..n)
        .filter(|sample| replay.outcomes[*sample] == Outcome::Truncated)
        .collect();
    let last = file.take_f32("replay.final_observations", &[truncated.len(), n_obs])?;
    let last = last.chunks_exact(n_obs).map(<[f32]>::to_vec);
    replay.final_observations = truncated.into_iter().zip(last).collect::<BTreeMap<_, _>>();
    Ok(())
}

fn outcome(byte: u8) -> Option<Outcome> {
    let all = [Outcome::Running, Outcome::Terminated, Outcome::Truncated];
    all.into_iter().find(|outcome| *outcome as u8 == byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor_file::Format;
    use insonate_envs::Batch;
    use std::path::Path;

    const FORMAT: Format = Format {
        name: "insonate-test",
        what: "test",
        version: 1,
        oldest: 1,
    };

    fn empty() -> ReplayBuffer {
        ReplayBuffer::new(4, 1, 1, &[0.0, 0.0])
    }

    /// Three steps; the second one is truncated.
    fn filled() -> ReplayBuffer {
        let mut replay = empty();
        for step in 0..3 {
            let batch = Batch {
                observations: vec![step as f32; 2],
                rewards: vec![1.0],
                terminated: vec![false],
                truncated: vec![step == 1],
                final_observations: vec![7.0; 2],
                ..Batch::default()
            };
            replay.push(&[0.5], &batch);
        }
        replay
    }

    fn taken(
        counts: &ReplayCounts,
        change: impl Fn(&mut TensorWriter),
    ) -> Result<ReplayBuffer, String> {
        let mut writer = TensorWriter::default();
        add(&mut writer, &filled());
        change(&mut writer);
        let bytes = writer.bytes(FORMAT, &"");
        let mut file = TensorFile::parse(Path::new("here"), &bytes, &[FORMAT]).unwrap();
        let mut replay = empty();
        match take(&mut file, counts, &mut replay) {
            Ok(()) => Ok(replay),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_buffer_reads_back_and_lengths_that_do_not_fit_are_refused() {
        let counts = ReplayCounts::of(&filled());
        assert_eq!(taken(&counts, |_| ()), Ok(filled()));
        let counted = |steps: usize, position: usize| {
            taken(&ReplayCounts { steps, position }, |_| ()).unwrap_err()
        };
        for (steps, position) in [(usize::MAX, 0), (5, 0), (3, 4), (3, 2), (0, usize::MAX)] {
            let problem =
                format!("here: has a replay buffer of {steps} steps at {position}, 4 at most");
            assert_eq!(counted(steps, position), problem);
        }
        assert_eq!(
            counted(4, 0),
            "here: has \"replay.observations\" of shape [3, 2], expected [4, 2]"
        );
        let changed = |name: &str, tensor: &Tensor| {
            taken(&counts, |writer| writer.add(name, tensor.clone())).unwrap_err()
        };
        assert_eq!(
            changed("replay.outcomes", &Tensor::bytes(vec![0, 3, 0])),
            "here: has outcomes of another kind in its replay buffer"
        );
        // There is one more truncated episode than last observations.
        assert_eq!(
            changed("replay.outcomes", &Tensor::bytes(vec![2, 2, 0])),
            "here: has \"replay.final_observations\" of shape [1, 2], expected [2, 2]"
        );
        assert_eq!(
            changed("replay.outcomes", &Tensor::bytes(vec![0; 2])),
            "here: has \"replay.outcomes\" of shape [2], expected [3]"
        );
    }
}
