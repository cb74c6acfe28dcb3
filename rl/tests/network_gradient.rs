//! Contract: forward and backward pass match the formula, for any sizes, activation and number of rows.
//! The reference is the formula in f64; its gradient is computed by central differences.

mod oracle;

use insonate_rl::network::{Activation, AlignedBuffer, Mlp, padded};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use oracle::Oracle;

/// Σ over rows and outputs of weight · output.
fn loss(oracle: &Oracle, inputs: &[f64], n_inputs: usize, output_weights: &[f64]) -> f64 {
    let outputs = inputs
        .chunks_exact(n_inputs)
        .flat_map(|input| oracle.forward(input));
    outputs.zip(output_weights).map(|(y, w)| y * w).sum()
}

fn check(sizes: &[usize], activation: Activation, n_rows: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n_inputs, n_outputs) = (sizes[0], sizes[sizes.len() - 1]);
    let mut network = Mlp::new(sizes, activation, 0);
    for index in 0..network.layers().len() {
        let layer = network.layers()[index].clone();
        let limit = 1.0 / (layer.n_inputs as f32).sqrt();
        let mut draw =
            |n: usize| -> Vec<f32> { (0..n).map(|_| rng.random_range(-limit..limit)).collect() };
        let (weights, bias) = (
            draw(layer.n_inputs * layer.n_outputs),
            draw(layer.n_outputs),
        );
        network.set_layer(index, &weights, &bias);
    }
    let inputs: Vec<f32> = (0..n_rows * n_inputs)
        .map(|_| rng.random_range(-2.0..2.0))
        .collect();
    let output_weights: Vec<f32> = (0..n_rows * n_outputs)
        .map(|_| rng.random_range(-1.0..1.0))
        .collect();

    // The tested network.
    let mut workspace = network.workspace(n_rows);
    let outputs = network.forward(&inputs, n_rows, &mut workspace).to_vec();
    let width = padded(n_outputs);
    let (_, by_output) = workspace.output_and_gradient();
    for (row, weights) in output_weights.chunks_exact(n_outputs).enumerate() {
        by_output[row * width..][..n_outputs].copy_from_slice(weights);
    }
    let mut gradient = AlignedBuffer::zeros(network.parameters().len());
    network.backward(&inputs, n_rows, &mut workspace, &mut gradient, false);

    // The reference.
    let oracle = Oracle::of(&network);
    let wide = |numbers: &[f32]| numbers.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    let (inputs, output_weights) = (wide(&inputs), wide(&output_weights));
    for (row, input) in inputs.chunks_exact(n_inputs).enumerate() {
        for (i, truth) in oracle.forward(input).iter().enumerate() {
            let found = f64::from(outputs[row * width + i]);
            assert!(
                (found - truth).abs() < 1e-5,
                "output {row} {i}: {found} is not {truth}"
            );
        }
        assert!(
            outputs[row * width + n_outputs..(row + 1) * width]
                .iter()
                .all(|x| *x == 0.0)
        );
    }

    // Central differences. The tolerance is 2e-3 of the largest entry, for single precision and kinks of relu.
    let h = 1e-6;
    let scale = (n_rows as f64).sqrt();
    for index in 0..oracle.layers.len() {
        let (weights, bias) = network.layer_of(&gradient, index);
        let n_weights = weights.len();
        for (i, found) in weights.iter().chain(&bias).enumerate() {
            // Only some of the entries of a large layer.
            if n_weights > 400 && i % 7 != 0 {
                continue;
            }
            let shifted = |by: f64| {
                let mut oracle = oracle.clone();
                let (weights, bias) = &mut oracle.layers[index];
                let entry = if i < n_weights {
                    &mut weights[i]
                } else {
                    &mut bias[i - n_weights]
                };
                *entry += by;
                loss(&oracle, &inputs, n_inputs, &output_weights)
            };
            let truth = (shifted(h) - shifted(-h)) / (2.0 * h);
            let error = (f64::from(*found) - truth).abs();
            assert!(
                error < 2e-4 * scale + 1e-4 * truth.abs(),
                "layer {index}, {i}: {found} is not {truth}"
            );
        }
    }
}

#[test]
fn a_network_by_hand() {
    // y = 2 tanh(0.5 x₀ − x₁ + 0.1) − 0.3, at x = (1, 0.25): the hidden unit is tanh(0.35).
    let mut network = Mlp::new(&[2, 1, 1], Activation::Tanh, 0);
    network.set_layer(0, &[0.5, -1.0], &[0.1]);
    network.set_layer(1, &[2.0], &[-0.3]);
    let mut workspace = network.workspace(1);
    let hidden = 0.35_f32.tanh();
    let y = network.forward(&[1.0, 0.25], 1, &mut workspace)[0];
    assert!((y - (2.0 * hidden - 0.3)).abs() < 1e-6);
    // With dL/dy = 3: dL/dw₂ = 3h, dL/db₂ = 3, and 6 (1 − h²) times x and 1 below.
    workspace.output_and_gradient().1[0] = 3.0;
    let mut gradient = AlignedBuffer::zeros(network.parameters().len());
    network.backward(&[1.0, 0.25], 1, &mut workspace, &mut gradient, false);
    let below = 6.0 * (1.0 - hidden * hidden);
    let near = |found: &[f32], truth: &[f32]| {
        assert!(
            found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1e-5),
            "{found:?} {truth:?}"
        );
    };
    near(&network.layer_of(&gradient, 1).0, &[3.0 * hidden]);
    near(&network.layer_of(&gradient, 1).1, &[3.0]);
    near(&network.layer_of(&gradient, 0).0, &[below, 0.25 * below]);
    near(&network.layer_of(&gradient, 0).1, &[below]);
}

#[test]
fn gradients_of_parts_add_up() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut network = Mlp::new(&[3, 20, 2], Activation::Elu, 1);
    network.set_orthogonal(1.0, &mut rng);
    let inputs: Vec<f32> = (0..15).map(|_| rng.random_range(-1.0..1.0)).collect();
    let gradient_of = |parts: &[&[f32]]| {
        let mut workspace = network.workspace(5);
        let mut gradient = AlignedBuffer::zeros(network.parameters().len());
        for (part, inputs) in parts.iter().enumerate() {
            network.forward(inputs, inputs.len() / 3, &mut workspace);
            let (_, by_output) = workspace.output_and_gradient();
            by_output
                .chunks_exact_mut(16)
                .for_each(|row| row[..2].fill(0.5));
            network.backward(
                inputs,
                inputs.len() / 3,
                &mut workspace,
                &mut gradient,
                part > 0,
            );
        }
        gradient
    };
    let whole = gradient_of(&[&inputs]);
    let parts = gradient_of(&[&inputs[..6], &inputs[6..]]);
    for (whole, parts) in whole.iter().zip(parts.iter()) {
        assert!((whole - parts).abs() < 1e-5);
    }
}

#[test]
fn the_padding_of_parameters_gets_no_gradient() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut network = Mlp::new(&[3, 20, 2], Activation::Silu, 1);
    network.set_orthogonal(1.0, &mut rng);
    let mut workspace = network.workspace(4);
    network.forward(&[0.5; 12], 4, &mut workspace);
    let (_, by_output) = workspace.output_and_gradient();
    by_output
        .chunks_exact_mut(16)
        .for_each(|row| row[..2].fill(1.0));
    let mut gradient = AlignedBuffer::zeros(network.parameters().len());
    network.backward(&[0.5; 12], 4, &mut workspace, &mut gradient, false);
    for layer in network.layers() {
        for row in gradient[layer.weights.start..layer.bias.end].chunks_exact(layer.width) {
            assert!(row[layer.n_outputs..].iter().all(|x| *x == 0.0));
        }
    }
}

#[test]
fn rows_do_not_depend_on_their_neighbours() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut network = Mlp::new(&[5, 70, 33, 3], Activation::Tanh, 0);
    network.set_orthogonal(1.0, &mut rng);
    let inputs: Vec<f32> = (0..5 * 37).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut workspace = network.workspace(37);
    let together = network.forward(&inputs, 37, &mut workspace).to_vec();
    for n_rows in [1, 2, 3, 8] {
        for (chunk, inputs) in inputs.chunks(5 * n_rows).enumerate() {
            let outputs = network.forward(inputs, inputs.len() / 5, &mut workspace);
            let same = &together[chunk * n_rows * 16..][..outputs.len()];
            assert_eq!(outputs, same, "to the bit, {n_rows} rows at once");
        }
    }
}

#[test]
fn typical_sizes_have_the_right_gradient() {
    for activation in Activation::ALL {
        check(&[10, 64, 64, 2], activation, 64, 1);
    }
    check(&[4, 2], Activation::Tanh, 3, 2);
    check(&[24, 100, 6], Activation::Silu, 17, 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_network_has_the_right_gradient(
        sizes in prop::collection::vec(1usize..20, 2..5),
        activation in prop::sample::select(vec![Activation::Tanh, Activation::Elu, Activation::Silu]),
        n_rows in 1usize..20,
        seed in 0u64..1000,
    ) {
        check(&sizes, activation, n_rows, seed);
    }
}
