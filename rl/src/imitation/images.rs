//! The images of observations, and the moments that normalise them.

use insonate_envs::{EnvSpec, GroupKind};

use crate::RlError;
use crate::network::ImageEntries;
use crate::normalization::RunningMoments;

/// The images of a task's observations.
pub(super) fn images(spec: &EnvSpec) -> Result<Vec<ImageEntries>, RlError> {
    let mut images = Vec::new();
    let mut first = 0;
    for group in &spec.observation_groups {
        if let (GroupKind::Image, [rows, columns, channels]) = (group.kind, &group.shape[..]) {
            images.push(ImageEntries {
                first,
                shape: [*rows, *columns, *channels],
            });
        }
        first += group.len();
    }
    if images.is_empty() || first != spec.observation_space.len() {
        let problem = format!(
            "need an image among the observations of {}, such as observation.ultrasound.readings=[\"b_mode\"]",
            spec.id
        );
        return Err(RlError::config("convolutions", problem));
    }
    Ok(images)
}

/// Moments of the entries of samples, shape `[n, n_obs]`. All pixels of an image have those of the whole image: single pixels that hardly
/// change would be amplified.
pub(super) fn moments(samples: &[f32], n_obs: usize, images: &[ImageEntries]) -> RunningMoments {
    let mut moments = RunningMoments::new(n_obs);
    moments.update_batch(samples);
    for image in images {
        let range = image.range();
        let mut pooled = RunningMoments::new(1);
        for row in samples.chunks_exact(n_obs) {
            pooled.update_batch(&row[range.clone()]);
        }
        moments.mean[range.clone()].fill(pooled.mean[0]);
        moments.var[range].fill(pooled.var[0]);
    }
    moments
}
