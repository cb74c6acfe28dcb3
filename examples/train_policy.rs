//! Trains a policy on a task, and compares it with the task's scripted policy on the same episodes.
//!
//! `cargo run --release --example train_policy -- [TASK] [STEPS]`

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::path::Path;

use insonate::envs::ResetOptions;
use insonate::evaluation::{
    EvaluationPlan, NamedPolicy, evaluate, paired_difference, paired_difference_table, result_table,
};
use insonate::training::{Event, Overrides, Plan, StartMode, train};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_else(|| "reacher".to_owned());
    let steps = arguments.next().unwrap_or_else(|| "300000".to_owned());

    // The task's default settings with overrides.
    let mut overrides = Overrides::default();
    overrides.set(&format!("ppo.total_timesteps={steps}"))?;
    let folder = Path::new("output/train_policy");
    let plan = Plan::new(Some(&task), &overrides, folder, StartMode::Overwrite)?;
    train(&plan, &|| false, &mut |event| {
        if let Event::Evaluated(evaluation) = event {
            let (step, mean) = (evaluation.global_step, evaluation.return_mean);
            println!("step {step}: return {mean:.2}");
        }
    })?;

    let names = [folder.display().to_string(), "scripted".to_owned()];
    let evaluation = EvaluationPlan {
        seeds: vec![0],
        n_episodes: 100,
        options: ResetOptions::default(),
        n_envs: 8,
        n_threads: 0,
    };
    let policies = NamedPolicy::load_all(&names, None, &toml::Table::new())?;
    let mut results = Vec::new();
    for policy in &policies {
        let result = evaluate(policy, &evaluation, &mut |_| {
            std::ops::ControlFlow::Continue(())
        })?;
        println!("\n{}", result_table(&result));
        results.push(result);
    }
    match paired_difference(&results[0], &results[1]) {
        Ok(difference) => println!("\n{}", paired_difference_table(&difference)),
        Err(problem) => println!("\ndifferent episodes: {problem}"),
    }
    Ok(())
}
