//! Contract: the epochs and minibatches of an update allocate no heap memory, nor does acting with a policy.
//!
//! A separate file, because it counts the allocations of the whole process.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![expect(unsafe_code, reason = "an allocator that counts is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use insonate_rl::Algorithm as _;
use insonate_rl::PpoConfig;
use insonate_rl::network::Learner;
use insonate_rl::network::{Activation, Mlp};
use insonate_rl::ppo::{Learners, RolloutBuffer, update};

mod support;

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
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of allocations during an update: the minimum of five, because allocations of the test harness and of starting threads fall into
/// some of them.
fn fewest_calls_of_update(update_epochs: usize, n_minibatches: usize, n_threads: usize) -> usize {
    let calls = (0..5).map(|_| calls_of_update(update_epochs, n_minibatches, n_threads));
    calls.min().unwrap()
}

/// Number of allocations during one update.
fn calls_of_update(update_epochs: usize, n_minibatches: usize, n_threads: usize) -> usize {
    let config = PpoConfig {
        update_epochs,
        n_minibatches,
        ..support::config()
    };
    let mut rollout = RolloutBuffer::new(config.n_steps, config.n_envs, 2, 1);
    rollout.advantages[0] = 1.0;
    let mut actor = Learner::new(Mlp::new(&[2, 16, 1], Activation::Tanh, 1));
    let mut critic = Learner::new(Mlp::new(&[2, 16, 1], Activation::Tanh, 0));
    let before = N_CALLS.load(Ordering::Relaxed);
    let learners = Learners {
        actor: &mut actor,
        critic: &mut critic,
        constraint: None,
    };
    update(&config, 1e-3, &rollout, 5, learners, n_threads);
    N_CALLS.load(Ordering::Relaxed) - before
}

// One test, so that no other thread allocates meanwhile.
#[test]
fn nothing_is_allocated_for_minibatches_and_actions() {
    for n_threads in [1, 2] {
        let once = fewest_calls_of_update(1, 1, n_threads);
        assert!(once < 40, "{once} calls");
        assert_eq!(
            fewest_calls_of_update(20, 16, n_threads),
            once,
            "{n_threads} threads"
        );
    }

    let mut policy = support::ppo(support::config(), 1).policy();
    let (observations, mut actions) = (vec![0.5; 2 * 300], vec![0.0; 300]);
    let before = N_CALLS.load(Ordering::Relaxed);
    policy.act(&observations, &mut actions);
    assert_eq!(N_CALLS.load(Ordering::Relaxed), before);
}
