//! Ends of an episode by a limit, with a message that states the limit.

use crate::environment::EpisodeEnd;

/// The force exceeds `limit` [N].
pub fn pressed_too_hard(limit: f64) -> EpisodeEnd {
    EpisodeEnd::Terminated(format!("pressed too hard: force above {limit} N").into())
}

/// The distance of the probe from its goal exceeds `limit` [m].
pub fn too_far(from: &str, limit: f64) -> EpisodeEnd {
    let limit = 1e3 * limit;
    EpisodeEnd::Terminated(format!("far from the {from}: more than {limit:.0} mm").into())
}

/// There was no contact for longer than `limit` [s].
pub fn contact_lost(limit: f64) -> EpisodeEnd {
    EpisodeEnd::Terminated(format!("contact lost for more than {limit} s").into())
}
