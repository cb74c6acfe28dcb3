//! Contract: a vector of environments takes no memory from the heap while episodes run, on any number of threads.
//!
//! A file of its own, because it counts what the whole process allocates.

#![expect(unsafe_code, reason = "an allocator that counts is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use insonate_envs::{Env, FrameStack, ResetOptions, VecConfig, VecEnv, tasks};

/// Counts the calls that ask for memory.
struct Counting;

static N_CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
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
            // A thread that starts late takes some memory for itself, and so may the test's own runner: once, not in each step.
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
            // The count counts: an end is told with lists of its own.
            for _ in 0..100 {
                env.step(&actions).unwrap();
            }
            assert!(N_CALLS.load(Ordering::Relaxed) >= before + 6);
        }
    }
}
