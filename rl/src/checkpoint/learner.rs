//! A network with its optimiser in a checkpoint.

use crate::RlError;
use crate::network::{Adam, Learner};
use crate::policy::{add_network, take_network};
use crate::tensor_file::{TensorFile, TensorWriter};

/// Tensors of each learner: the parameters and the two moments of Adam.
const PARTS: [&str; 3] = ["", ".first_moment", ".second_moment"];

/// Adds a learner.
pub(super) fn add_learner(writer: &mut TensorWriter, name: &str, learner: &Learner) {
    let Learner { network, adam, .. } = learner;
    let parts = [
        network.parameters(),
        &adam.first_moment,
        &adam.second_moment,
    ];
    for (part, numbers) in PARTS.iter().zip(parts) {
        add_network(writer, &format!("{name}{part}"), network, numbers);
    }
}

/// Takes a learner from the file; `n_adam_steps` is the number of its Adam steps.
pub(super) fn take_learner(
    file: &mut TensorFile,
    name: &str,
    learner: &mut Learner,
    n_adam_steps: u64,
) -> Result<(), RlError> {
    let mut parameters = learner.network.parameters().clone();
    let mut adam = Adam::new(parameters.len());
    adam.n_steps = n_adam_steps;
    let parts = [
        &mut parameters,
        &mut adam.first_moment,
        &mut adam.second_moment,
    ];
    for (part, numbers) in PARTS.iter().zip(parts) {
        take_network(file, &format!("{name}{part}"), &learner.network, numbers)?;
    }
    learner
        .network
        .parameters_mut()
        .copy_from_slice(&parameters);
    learner.adam = adam;
    Ok(())
}
