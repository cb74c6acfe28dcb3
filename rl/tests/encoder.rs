//! Contract: the encoder's results and gradient match direct sums over pixels in f64, for any chunking of rows; policies with images learn
//! a known function of the picture, and their files and models act as they do.

mod onnx_model;

use std::ops::ControlFlow;
use std::path::Path;

use insonate_envs::{BoxSpace, EnvSpec, GroupKind, ObservationGroup};
use insonate_rl::imitation::{EpochLosses, Imitation, ImitationConfig, Samples, imitate};
use insonate_rl::network::{Activation, Encoder, ImageEntries, Learner, Mlp};
use insonate_rl::{Policy, PolicyIdentity, RlError};
use onnx_model::Model;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// An entry, an image of 5 × 7 pixels with two channels, another entry, and an image of 4 × 3 pixels.
const IMAGES: [ImageEntries; 2] = [
    ImageEntries {
        first: 1,
        shape: [5, 7, 2],
    },
    ImageEntries {
        first: 72,
        shape: [4, 3, 1],
    },
];
const N_OBS: usize = 84;
const CHANNELS: [usize; 2] = [16, 32];

/// Weights `[n_outputs, 3, 3, n_channels]` and bias of each stage of each image.
type Kernels = Vec<Vec<(Vec<f64>, Vec<f64>)>>;

fn encoder(seed: u64) -> (Encoder, Kernels) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut encoder = Encoder::new(N_OBS, &IMAGES, &CHANNELS);
    let mut kernels = vec![Vec::new(); 2];
    for (image, stage) in encoder.places() {
        let layer = encoder.stages()[image][stage].layer.clone();
        let mut draw =
            |n: usize| -> Vec<f32> { (0..n).map(|_| rng.random_range(-0.3..0.3)).collect() };
        let (weights, bias) = (
            draw(layer.n_inputs * layer.n_outputs),
            draw(layer.n_outputs),
        );
        encoder.set_stage(image, stage, &weights, &bias);
        assert_eq!(encoder.stage(image, stage), (weights.clone(), bias.clone()));
        let wide = |numbers: &[f32]| numbers.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
        kernels[image].push((wide(&weights), wide(&bias)));
    }
    (encoder, kernels)
}

/// A convolution by its definition: kernels about every second pixel, zero beyond the border.
fn convolve(
    image: &[f64],
    shape: [usize; 3],
    (weights, bias): &(Vec<f64>, Vec<f64>),
) -> (Vec<f64>, [usize; 3]) {
    let [rows, columns, channels] = shape;
    let result = [rows.div_ceil(2), columns.div_ceil(2), bias.len()];
    let mut values = Vec::new();
    for row in 0..result[0] as isize {
        for column in 0..result[1] as isize {
            for (output, bias) in bias.iter().enumerate() {
                let mut sum = *bias;
                for (down, across) in (0..9).map(|i| (i / 3, i % 3)) {
                    let (y, x) = (2 * row + down - 1, 2 * column + across - 1);
                    if y < 0 || x < 0 || y >= rows as isize || x >= columns as isize {
                        continue;
                    }
                    for channel in 0..channels {
                        let pixel = (y as usize * columns + x as usize) * channels + channel;
                        let weight = ((output * 3 + down as usize) * 3 + across as usize)
                            * channels
                            + channel;
                        sum += weights[weight] * image[pixel];
                    }
                }
                values.push(sum.max(0.0));
            }
        }
    }
    (values, result)
}

fn features(observation: &[f64], kernels: &Kernels) -> Vec<f64> {
    let mut features = vec![observation[0], observation[71]];
    for (image, kernels) in IMAGES.iter().zip(kernels) {
        let (mut pixels, mut shape) = (observation[image.range()].to_vec(), image.shape);
        for kernel in kernels {
            (pixels, shape) = convolve(&pixels, shape, kernel);
        }
        features.extend(pixels);
    }
    features
}

fn observations(n: usize) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    (0..n * N_OBS)
        .map(|_| rng.random_range(-1.0..1.0))
        .collect()
}

#[test]
fn features_are_sums_over_pixels() {
    let (encoder, kernels) = encoder(1);
    // 2 entries, 2 × 2 × 32 and 1 × 1 × 32.
    let n_features = 2 + 128 + 32;
    assert_eq!(encoder.n_features(), n_features);
    let observations = observations(5);
    let wide: Vec<f64> = observations.iter().map(|x| f64::from(*x)).collect();
    let mut found = vec![f32::NAN; 5 * n_features];
    encoder.forward(&observations, 5, &mut encoder.workspace(5), &mut found);
    for (row, found) in wide.chunks(N_OBS).zip(found.chunks(n_features)) {
        for (truth, found) in features(row, &kernels).iter().zip(found) {
            assert!((truth - f64::from(*found)).abs() < 1e-5, "{truth} {found}");
        }
    }
    // The same bits for each row alone.
    let mut alone = vec![f32::NAN; n_features];
    let mut workspace = encoder.workspace(1);
    encoder.forward(
        &observations[2 * N_OBS..3 * N_OBS],
        1,
        &mut workspace,
        &mut alone,
    );
    assert_eq!(alone, found[2 * n_features..3 * n_features]);
}

/// The loss is the sum of a network's output over 300 rows, so that a step has several chunks. The reference is a central difference in f64.
#[test]
fn the_gradient_is_a_difference_of_losses() {
    let (encoder, kernels) = encoder(2);
    let mut network = Mlp::new(&[encoder.n_features(), 1], Activation::Tanh, 0);
    network.set_uniform(&mut ChaCha8Rng::seed_from_u64(3));
    let (output, _) = network.layer(0);
    let output: Vec<f64> = output.iter().map(|x| f64::from(*x)).collect();
    let observations = observations(300);
    let rows: Vec<u32> = (0..300).collect();
    let mut learner = Learner::with_encoder(encoder.clone(), network);
    learner.compute_gradient(&observations, &rows, |_, _, by_output, _| {
        by_output[0] = 1.0;
    });
    let gradient = learner.encoder_gradient().expect("it has an encoder");
    let wide: Vec<f64> = observations.iter().map(|x| f64::from(*x)).collect();
    let loss = |kernels: &Kernels| -> f64 {
        let rows = wide.chunks(N_OBS).flat_map(|row| {
            let features = features(row, kernels);
            features
                .into_iter()
                .zip(&output)
                .map(|(x, w)| x * w)
                .collect::<Vec<_>>()
        });
        rows.sum()
    };
    let h = 1e-6;
    for (image, stage) in encoder.places() {
        let layer = &encoder.stages()[image][stage].layer;
        for at in [0, 5, layer.n_inputs * layer.n_outputs - 1] {
            let moved = |by: f64| {
                let mut kernels = kernels.clone();
                kernels[image][stage].0[at] += by;
                loss(&kernels)
            };
            let truth = (moved(h) - moved(-h)) / (2.0 * h);
            let (output, input) = (at / layer.n_inputs, at % layer.n_inputs);
            let found = f64::from(gradient[layer.weights.start + input * layer.width + output]);
            assert!(
                (found - truth).abs() < 2e-3 * truth.abs().max(5.0),
                "{image} {stage} {at}: {found} {truth}"
            );
        }
        let moved = |by: f64| {
            let mut kernels = kernels.clone();
            kernels[image][stage].1[3] += by;
            loss(&kernels)
        };
        let truth = (moved(h) - moved(-h)) / (2.0 * h);
        let found = f64::from(gradient[layer.bias.start + 3]);
        assert!(
            (found - truth).abs() < 2e-3 * truth.abs().max(5.0),
            "{image} {stage} bias: {found} {truth}"
        );
    }
}

const SIDE: usize = 12;

/// A picture of noise with a bright square of 3 × 3 pixels; the action is the square's place, −1 to 1. No pixel says where it is.
fn pictures(n: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut observations, mut actions) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let at = [0; 2].map(|_: i32| rng.random_range(0..SIDE - 2));
        let mut picture: Vec<f32> = (0..SIDE * SIDE)
            .map(|_| rng.random_range(0.0..0.5))
            .collect();
        for (row, column) in (0..9).map(|i| (i / 3, i % 3)) {
            picture[(at[0] + row) * SIDE + at[1] + column] += 0.5;
        }
        observations.extend(picture);
        observations.push(rng.random_range(-1.0..1.0));
        actions.extend(at.map(|at| at as f32 / 4.5 - 1.0));
    }
    (observations, actions)
}

fn spec() -> EnvSpec {
    let pixels = (0..SIDE * SIDE).map(|i| format!("pixel {i}"));
    let space = pixels.fold(BoxSpace::default(), |space, name| {
        space.with(&name, 0.0, 1.0)
    });
    EnvSpec {
        id: "find-square".to_owned(),
        observation_space: space.with("nothing", -1.0, 1.0),
        observation_groups: vec![
            ObservationGroup::image("picture", [SIDE, SIDE, 1], GroupKind::Image),
            ObservationGroup::state(1),
        ],
        action_space: BoxSpace::default()
            .with("row", -1.0, 1.0)
            .with("column", -1.0, 1.0),
        ..EnvSpec::default()
    }
}

fn learn(config: &ImitationConfig) -> Result<Imitation, RlError> {
    let (observations, actions) = pictures(1200, 1);
    let samples = Samples {
        observations: &observations,
        actions: &actions,
        n_training: 1000,
    };
    let mut observer = |_: &EpochLosses| ControlFlow::Continue(());
    let identity = PolicyIdentity {
        task: "find-square".to_owned(),
        ..PolicyIdentity::default()
    };
    imitate(&spec(), identity, samples, config, &mut observer)
}

fn config(convolutions: &[usize]) -> ImitationConfig {
    ImitationConfig {
        epochs: 15,
        batch_size: 32,
        learning_rate: 2e-3,
        hidden_sizes: vec![32],
        convolutions: convolutions.to_vec(),
        ..ImitationConfig::default()
    }
}

/// Root mean square of errors on pictures that the policy has not seen.
fn error(policy: &mut Policy) -> f64 {
    let (observations, actions) = pictures(500, 2);
    let mut found = vec![0.0; actions.len()];
    policy.act(&observations, &mut found);
    let squares = found
        .iter()
        .zip(&actions)
        .map(|(a, b)| f64::from(a - b).powi(2));
    (squares.sum::<f64>() / actions.len() as f64).sqrt()
}

#[test]
fn a_square_is_found_in_a_picture() {
    let Imitation {
        mut policy, losses, ..
    } = learn(&config(&[16, 16])).expect("it succeeds");
    let seeing = error(&mut policy);
    // Guessing the middle has an error of 0.64, a pixel is 0.22.
    assert!(seeing < 0.15, "{seeing}");
    // The same bits again, and from the file.
    let Imitation {
        policy: again,
        losses: same,
        ..
    } = learn(&config(&[16, 16])).expect("it succeeds");
    assert_eq!(losses, same);
    let bytes = policy.to_bytes();
    assert_eq!(bytes, again.to_bytes());
    let mut read = Policy::from_bytes(Path::new("policy"), &bytes).expect("it is whole");
    assert_eq!(error(&mut read), seeing);
    assert_eq!(read.to_bytes(), bytes);
    // The model of other programs.
    let model = Model::read(&policy.to_onnx());
    assert_eq!(
        (model.versions, model.metadata["task"].as_str()),
        ([7, 14], "find-square")
    );
    let convolutions = model.operators().into_iter().filter(|name| name == "Conv");
    assert_eq!(convolutions.count(), 2);
    let (observations, actions) = pictures(20, 3);
    let mut acted = vec![0.0; actions.len()];
    policy.act(&observations, &mut acted);
    let modelled = model.run(&observations, SIDE * SIDE + 1);
    for (acted, modelled) in acted.iter().zip(&modelled) {
        assert!(
            (f64::from(*acted) - modelled).abs() < 1e-5,
            "{acted} {modelled}"
        );
    }
}

#[test]
fn impossible_encoders_are_refused() {
    let problem =
        |config: &ImitationConfig| learn(config).expect_err("it is impossible").to_string();
    let odd = problem(&config(&[16, 20]));
    assert_eq!(
        odd,
        "convolutions: has 20 channels; it must be a multiple of 16"
    );
    let few = problem(&config(&[8]));
    assert!(
        few.contains("convolutions is 8; it must be between 16 and 512"),
        "{few}"
    );
    let mut blind = spec();
    blind.observation_groups = vec![ObservationGroup::state(SIDE * SIDE + 1)];
    let (observations, actions) = pictures(2, 1);
    let samples = Samples {
        observations: &observations,
        actions: &actions,
        n_training: 2,
    };
    let mut observer = |_: &EpochLosses| ControlFlow::Continue(());
    let result = imitate(
        &blind,
        PolicyIdentity::default(),
        samples,
        &config(&[16]),
        &mut observer,
    );
    let problem = result.expect_err("there is no image").to_string();
    assert!(
        problem.contains("need an image among the observations of find-square"),
        "{problem}"
    );
}

/// A changed byte of the file is noticed; sizes that do not fit are refused before memory is taken.
#[test]
fn a_file_with_another_encoder_is_refused() {
    let Imitation { policy, .. } = learn(&ImitationConfig {
        epochs: 1,
        ..config(&[16])
    })
    .expect("it succeeds");
    let bytes = policy.to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("encoder.0.0.weight"));
    for n in [bytes.len() / 2, bytes.len() - 3, 40] {
        let mut broken = bytes.clone();
        broken[n] ^= 1;
        assert!(
            Policy::from_bytes(Path::new("policy"), &broken).is_err(),
            "byte {n}"
        );
        assert!(
            Policy::from_bytes(Path::new("policy"), &bytes[..n]).is_err(),
            "up to {n}"
        );
    }
}
