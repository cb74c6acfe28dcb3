//! Ends of an episode by a limit, in words with the limit.

use crate::environment::EpisodeEnd;

/// The force passed `limit` [N].
pub fn pressed_too_hard(limit: f64) -> EpisodeEnd {
    EpisodeEnd::Terminated(format!("pressed too hard: force above {limit} N").into())
}

/// The probe was farther than `limit` [m] from where it should be.
pub fn too_far(from: &str, limit: f64) -> EpisodeEnd {
    let limit = 1e3 * limit;
    EpisodeEnd::Terminated(format!("far from the {from}: more than {limit:.0} mm").into())
}

/// Nothing was touched for longer than `limit` [s].
pub fn contact_lost(limit: f64) -> EpisodeEnd {
    EpisodeEnd::Terminated(format!("contact lost for more than {limit} s").into())
}
