//! Numbers by name: the terms of a reward, costs and metrics are structs with one field per number.

/// A struct of numbers with names. [`named_values!`](crate::named_values) defines one; a pair of them is one, too.
pub trait NamedValues: Default {
    /// Number of values.
    const LEN: usize;

    /// Names, in the order of the fields.
    fn names() -> Vec<&'static str>;

    /// Writes the values in the same order, shape `[LEN]`.
    fn write(&self, values: &mut [f64]);

    /// Sum of the values.
    fn sum(&self) -> f64;
}

/// No values.
impl NamedValues for () {
    const LEN: usize = 0;

    fn names() -> Vec<&'static str> {
        Vec::new()
    }

    fn write(&self, _values: &mut [f64]) {}

    fn sum(&self) -> f64 {
        0.0
    }
}

/// The values of both, in this order.
impl<A: NamedValues, B: NamedValues> NamedValues for (A, B) {
    const LEN: usize = A::LEN + B::LEN;

    fn names() -> Vec<&'static str> {
        [A::names(), B::names()].concat()
    }

    fn write(&self, values: &mut [f64]) {
        let (first, second) = values.split_at_mut(A::LEN);
        self.0.write(first);
        self.1.write(second);
    }

    fn sum(&self) -> f64 {
        self.0.sum() + self.1.sum()
    }
}

/// Defines a struct of numbers that implements [`NamedValues`]: the names are those of its fields.
///
/// ```
/// use insonate_envs::{NamedValues, named_values};
///
/// named_values! {
///     /// Metrics of an episode.
///     struct Metrics { success, distance_m }
/// }
///
/// assert_eq!(Metrics::names(), ["success", "distance_m"]);
/// let mut values = [0.0; 2];
/// Metrics { success: 1.0, distance_m: 0.02 }.write(&mut values);
/// assert_eq!(values, [1.0, 0.02]);
/// ```
#[macro_export]
macro_rules! named_values {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident { $($(#[$doc:meta])* $field:ident),* $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        $visibility struct $name { $($(#[$doc])* $visibility $field: f64),* }

        impl $crate::NamedValues for $name {
            const LEN: usize = [$(stringify!($field)),*].len();

            fn names() -> Vec<&'static str> {
                vec![$(stringify!($field)),*]
            }

            fn write(&self, values: &mut [f64]) {
                values.copy_from_slice(&[$(self.$field),*]);
            }

            fn sum(&self) -> f64 {
                [$(self.$field),*].iter().sum()
            }
        }
    };
}

/// Defines the terms of a reward in one place: the struct of their weights, which are settings with these defaults, and the struct of the
/// weighted terms, which implements [`NamedValues`]. `and` adds settings of the reward that are no weights.
///
/// ```
/// use insonate_envs::{NamedValues, reward_terms};
///
/// reward_terms! {
///     pub struct HoverReward weighs HoverTerms {
///         /// Nearness to the goal.
///         distance: 1.0,
///     } and {
///         /// Error at which `distance` has fallen to one half [m].
///         scale: 0.005,
///     }
/// }
///
/// assert_eq!(HoverReward::default().distance, 1.0);
/// assert_eq!(HoverTerms::names(), ["distance"]);
/// ```
#[macro_export]
macro_rules! reward_terms {
    (
        $visibility:vis struct $weights:ident weighs $terms:ident {
            $($(#[$doc:meta])* $term:ident: $weight:expr),* $(,)?
        } $(and {
            $($(#[$setting_doc:meta])* $setting:ident: $value:expr),* $(,)?
        })?
    ) => {
        /// Weights of the reward terms.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $visibility struct $weights {
            $($(#[$doc])* $visibility $term: f64,)*
            $($($(#[$setting_doc])* $visibility $setting: f64,)*)?
        }

        impl Default for $weights {
            fn default() -> Self {
                Self { $($term: $weight,)* $($($setting: $value,)*)? }
            }
        }

        $crate::named_values! {
            /// Weighted reward terms of a step.
            $visibility struct $terms { $($(#[$doc])* $term),* }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    named_values! {
        struct Own { success, distance_m }
    }

    named_values! {
        struct Shared { peak_force_n }
    }

    #[test]
    fn a_pair_has_the_names_and_values_of_both_in_order() {
        assert_eq!(
            <(Own, Shared)>::names(),
            ["success", "distance_m", "peak_force_n"]
        );
        let pair = (
            Own {
                distance_m: 0.02,
                success: 1.0,
            },
            Shared { peak_force_n: 5.0 },
        );
        let mut values = [f64::NAN; <(Own, Shared)>::LEN];
        pair.write(&mut values);
        assert_eq!(values, [1.0, 0.02, 5.0]);
    }
}
