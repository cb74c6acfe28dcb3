//! Wordings of a task's instruction, which are drawn by the seed of an episode.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Stream of random numbers; an episode's own and those of its actions have others.
const STREAM: u64 = 4;

/// Further wordings of tasks with a probe.
const WORDINGS: [(&str, &[&str]); 7] = [
    (
        "probe-press",
        &[
            "press the probe on the skin up to a force, and keep it",
            "bring the probe down on the patient and hold a steady force",
            "push the transducer against the torso with the given force",
        ],
    ),
    (
        "probe-reach",
        &[
            "move the probe to the marked place on the torso and touch it gently",
            "start in the air and land softly on the given point of the skin",
            "approach the patient and make light contact at the target",
        ],
    ),
    (
        "probe-sweep",
        &[
            "sweep the probe over the torso along the path and keep the force constant",
            "scan along the line on the skin with a steady force",
            "move the transducer along the path without pressing harder or softer",
        ],
    ),
    (
        "table-slide",
        &[
            "move the probe along the line on the table with a constant force",
            "follow the path on the bare table and keep the force steady",
            "slide over the table along the path without changing the force",
        ],
    ),
    (
        "find-view",
        &[
            "search for the view of liver and kidney in the ultrasound image",
            "move the probe until the image shows the liver next to the kidney",
            "find the plane that shows liver and kidney, and keep the force steady",
        ],
    ),
    (
        "image-quality",
        &[
            "keep the ultrasound image good while the patient breathes",
            "hold the image by tilting and pressing the probe as the patient breathes",
            "adjust the probe so that the image stays clear during breathing",
        ],
    ),
    (
        "coverage",
        &[
            "scan the whole organ with a steady force",
            "move the probe over the organ until all of its surface was seen",
            "cover the surface of the organ in sweeps at a constant force",
        ],
    ),
];

/// Openings of a sentence, for tasks without further wordings.
const OPENINGS: [&str; 4] = ["", "please ", "your task: ", "now "];

/// A wording for an episode of a task with a summary.
pub(super) fn wording(task: &str, summary: &str, seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(STREAM);
    let own = WORDINGS.iter().find(|(name, _)| *name == task);
    match own {
        Some((_, wordings)) => match rng.random_range(0..=wordings.len()) {
            0 => summary.to_owned(),
            at => wordings[at - 1].to_owned(),
        },
        None => format!("{}{summary}", OPENINGS[rng.random_range(0..OPENINGS.len())]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use insonate_envs::tasks;

    use super::*;

    #[test]
    fn seeds_draw_every_wording_and_always_the_same_one() {
        for task in ["probe-sweep", "pendulum"] {
            let all: BTreeSet<String> = (0..100).map(|seed| wording(task, "x", seed)).collect();
            assert_eq!(all.len(), 4, "{all:?}");
            assert_eq!(wording(task, "x", 3), wording(task, "x", 3));
        }
    }

    #[test]
    fn wordings_are_of_known_tasks() {
        for (task, _) in WORDINGS {
            assert!(tasks::by_name(task).is_ok(), "{task}");
        }
    }
}
