//! Networks in files, with PyTorch's names and layout: `<prefix>.<i>.weight` of shape `[n_outputs, n_inputs]` and `<prefix>.<i>.bias`.
//! Index i counts layers and activations as `torch.nn.Sequential` does. Free parameters are `<prefix>.log_std`.

use crate::RlError;
use crate::network::Mlp;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

/// Adds numbers in the layout of the network's parameters.
pub(crate) fn add_network(writer: &mut TensorWriter, prefix: &str, network: &Mlp, numbers: &[f32]) {
    for (index, layer) in network.layers().iter().enumerate() {
        let (weights, bias) = network.layer_of(numbers, index);
        let [weight_name, bias_name] = names(prefix, index);
        writer.add(
            weight_name,
            Tensor::f32(&weights, &[layer.n_outputs, layer.n_inputs]),
        );
        writer.add(bias_name, Tensor::f32(&bias, &[layer.n_outputs]));
    }
    if !network.free().is_empty() {
        let free = &numbers[network.free()];
        writer.add(
            format!("{prefix}.log_std"),
            Tensor::f32(free, &[free.len()]),
        );
    }
}

/// Checks that the file holds the weights of a network of these sizes, before memory is allocated for it.
///
/// # Errors
/// [`RlError::File`].
pub(crate) fn check_network(
    file: &TensorFile,
    prefix: &str,
    sizes: &[usize],
) -> Result<(), RlError> {
    for (index, pair) in sizes.windows(2).enumerate() {
        let [weight_name, bias_name] = names(prefix, index);
        file.check_shape(&weight_name, &[pair[1], pair[0]])?;
        file.check_shape(&bias_name, &pair[1..])?;
    }
    Ok(())
}

/// Reads numbers from a file into the layout of the network's parameters.
///
/// # Errors
/// [`RlError::File`] if a tensor is missing, has another shape, or is not finite.
pub(crate) fn take_network(
    file: &mut TensorFile,
    prefix: &str,
    network: &Mlp,
    numbers: &mut [f32],
) -> Result<(), RlError> {
    for (index, layer) in network.layers().iter().enumerate() {
        let [weight_name, bias_name] = names(prefix, index);
        let shape = [layer.n_outputs, layer.n_inputs];
        let weights = take_finite(file, &weight_name, &shape)?;
        let bias = take_finite(file, &bias_name, &shape[..1])?;
        network.set_layer_of(numbers, index, &weights, &bias);
    }
    if !network.free().is_empty() {
        let free = take_finite(file, &format!("{prefix}.log_std"), &[network.free().len()])?;
        numbers[network.free()].copy_from_slice(&free);
    }
    Ok(())
}

pub(super) fn take_finite(
    file: &mut TensorFile,
    name: &str,
    shape: &[usize],
) -> Result<Vec<f32>, RlError> {
    let numbers = file.take_f32(name, shape)?;
    if numbers.iter().all(|x| x.is_finite()) {
        Ok(numbers)
    } else {
        Err(file.invalid(format!("has numbers in {name:?} that are not finite")))
    }
}

fn names(prefix: &str, index: usize) -> [String; 2] {
    ["weight", "bias"].map(|kind| format!("{prefix}.{}.{kind}", 2 * index))
}
