//! Defects that recorders of real pictures have: lost frames, and a lag behind the other numbers.

use insonate_datasets::CameraInfo;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Stream of random numbers; an episode's own and those of its actions have others.
const STREAM: u64 = 3;

/// Replaces each frame with a probability by the one before it. The first frame stays.
pub(super) fn drop_frames(frames: &mut [Vec<u8>], cameras: &[CameraInfo], share: f64, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(STREAM);
    for (frames, camera) in frames.iter_mut().zip(cameras) {
        let len = camera.frame_len();
        for from in (0..frames.len().saturating_sub(len)).step_by(len) {
            if rng.random::<f64>() < share {
                frames.copy_within(from..from + len, from + len);
            }
        }
    }
}

/// Shows each frame some steps later. The first one is shown until then.
pub(super) fn delay(frames: &mut [Vec<u8>], cameras: &[CameraInfo], n_steps: usize) {
    for (frames, camera) in frames.iter_mut().zip(cameras) {
        let len = camera.frame_len();
        let shift = (n_steps * len).min(frames.len().saturating_sub(len));
        let end = frames.len() - shift;
        frames.copy_within(..end, shift);
        for at in (len..shift).step_by(len) {
            frames.copy_within(..len, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cameras() -> Vec<CameraInfo> {
        let camera = |name: &str, width| CameraInfo {
            name: name.to_owned(),
            width,
            height: 1,
        };
        vec![camera("narrow", 1), camera("wide", 2)]
    }

    /// Frames whose bytes are their index.
    fn numbered(n: u8) -> Vec<Vec<u8>> {
        let of = |len: usize| (0..n).flat_map(|index| vec![index; len]).collect();
        vec![of(3), of(6)]
    }

    fn indices(frames: &[Vec<u8>]) -> [Vec<u8>; 2] {
        [3, 6].map(|len| {
            let frames = &frames[usize::from(len == 6)];
            let rows = frames.chunks_exact(len);
            assert!(
                rows.clone()
                    .all(|row| row.iter().all(|&byte| byte == row[0]))
            );
            rows.map(|row| row[0]).collect()
        })
    }

    #[test]
    fn pictures_come_later() {
        for (n_steps, expected) in [
            (0, [0, 1, 2, 3, 4]),
            (1, [0, 0, 1, 2, 3]),
            (3, [0, 0, 0, 0, 1]),
            (9, [0, 0, 0, 0, 0]),
        ] {
            let mut frames = numbered(5);
            delay(&mut frames, &cameras(), n_steps);
            assert_eq!(indices(&frames), [expected, expected].map(Vec::from));
        }
    }

    #[test]
    fn lost_pictures_show_the_one_before() {
        let mut frames = numbered(200);
        drop_frames(&mut frames, &cameras(), 0.25, 7);
        let [narrow, wide] = indices(&frames);
        assert_ne!(narrow, wide);
        for shown in [narrow, wide] {
            let n_lost = (0..200).filter(|&at| shown[at] != at as u8).count();
            // 50 are expected of 199, with a standard deviation of 6.
            assert!((25..=75).contains(&n_lost), "{n_lost}");
            let mut pairs = shown.windows(2).enumerate();
            assert!(pairs.all(|(at, pair)| pair[1] == pair[0] || pair[1] == at as u8 + 1));
        }
        let mut frames = numbered(20);
        drop_frames(&mut frames, &cameras(), 0.0, 7);
        assert_eq!(frames, numbered(20));
    }
}
