//! Contract: a byte that chooses a format, and any file of it, give a complete and finite log or an error.

#![no_main]

use insonate_tables::{Channel, Format, Motion, ReadOptions, read_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let [choice, bytes @ ..] = input {
        let n_formats = Format::ALL.len();
        read(Format::ALL[usize::from(*choice) % n_formats], bytes);
    }
});

/// Reads by the header, by number, and by names of lists and vectors. A resulting log is complete and finite.
fn read(format: Format, bytes: &[u8]) {
    let choices = [
        None,
        Some("indentation=1,force=2"),
        Some("position=1:2:3,force=4"),
        Some("indentation=a[0],velocity=a[1],force=force"),
        Some("position=a,velocity=a,force=a"),
        Some("position=x:y:z,force=fx:fy:fz,orientation=qx:qy:qz:qw"),
    ];
    for (choice, rate) in choices
        .into_iter()
        .flat_map(|c| [(c, None), (c, Some(500.0))])
    {
        let options = ReadOptions {
            columns: choice.map(|text| text.parse().expect("the choice is well formed")),
            rate,
            ..ReadOptions::default()
        };
        let Ok(log) = read_bytes("input", format, bytes, &options) else {
            continue;
        };
        let n = log.len();
        assert!(n >= 3);
        assert!(log.time.iter().all(|time| time.is_finite()));
        let turns = &log.frames.force_to_motion;
        assert!(turns.len() <= 1 || turns.len() == n);
        assert!(turns.as_flattened().iter().all(|value| value.is_finite()));
        let motion = match log.motion {
            Motion::Indentation(values) => Channel::Scalar(values),
            Motion::Position(channel) => channel,
        };
        for channel in [Some(motion), log.velocity, Some(log.force)]
            .into_iter()
            .flatten()
        {
            assert_eq!(channel.len(), n);
            assert!(match channel {
                Channel::Scalar(values) => values.iter().all(|value| value.is_finite()),
                Channel::Vector(values) =>
                    values.as_flattened().iter().all(|value| value.is_finite()),
            });
        }
    }
}
