//! Contract: a vector of environments allocates no heap memory while episodes run, on any number of threads.
//!
//! A separate file, because it counts the allocations of the whole process.

#![expect(unsafe_code, reason = "an allocator that counts is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use insonate_envs::{Env, FrameStack, ResetOptions, VecConfig, VecEnv, tasks};

/// Counts the calls that allocate memory.
struct Counting;

static N_CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        N_CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        N_CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_running_step_allocates_nothing() {
    for task in ["pendulum", "reacher"] {
        for n_threads in [1, 2, 4] {
            let factory = tasks::factory(task, &[("max_episode_steps", "400")]).unwrap();
            let envs = (0..6)
                .map(|_| Box::new(FrameStack::new(factory.make().unwrap(), 3)) as Box<dyn Env>);
            let config = VecConfig {
                n_threads,
                ..VecConfig::default()
            };
            let mut env = VecEnv::new(envs.collect(), config).unwrap();
            env.reset(Some(0), &ResetOptions::default()).unwrap();
            let actions = vec![0.25; 6 * env.spec().action_space.len()];
            for _ in 0..10 {
                env.step(&actions).unwrap();
            }
            // A thread that starts late and the test runner may allocate some memory: once, not in each step.
            let windows = [(); 10].map(|()| {
                let before = N_CALLS.load(Ordering::Relaxed);
                for _ in 0..30 {
                    env.step(&actions).unwrap();
                }
                N_CALLS.load(Ordering::Relaxed) - before
            });
            assert!(
                windows.contains(&0),
                "{task}, {n_threads} threads: {windows:?}"
            );
            let before = N_CALLS.load(Ordering::Relaxed);
            // Checks the counter: an end allocates lists for its statistics.
            for _ in 0..100 {
                env.step(&actions).unwrap();
            }
            assert!(N_CALLS.load(Ordering::Relaxed) >= before + 6);
        }
    }
}
