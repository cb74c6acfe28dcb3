//! Clock times of text logs: `2024-05-03T10:11:12.002Z`, `10:11:12.002`, `11:12.002`, with or without a date.

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

/// A time in clock notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    /// Time since 1970 with an ISO date, otherwise since the clock's last zero [ns].
    nanoseconds: i64,
    /// Period after which the clock restarts at zero [ns]; `None`: never.
    period: Option<i64>,
}

/// Parses a clock time; `None` for anything else.
///
/// Only dates that start with the year are used. In other dates day and month are ambiguous, so only the time of day
/// is read.
pub(super) fn parse(cell: &[u8]) -> Option<Clock> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    // The shortest time is `0:00.0`; this quick check skips the rest for numbers and words.
    if text.len() < 5 || text.len() > 64 || !text.contains(':') {
        return None;
    }
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if let Some((days, time)) = text
        .split_once(" days ")
        .or_else(|| text.split_once(" day "))
    {
        // Durations in the notation of pandas. More days in nanoseconds do not fit in 64 bits.
        let days: i64 = days
            .parse()
            .ok()
            .filter(|days| (0..100_000).contains(days))?;
        let nanoseconds = days * 86_400 * SECOND + time_of_day(time)?.nanoseconds;
        return Some(Clock {
            nanoseconds,
            period: None,
        });
    }
    match text.find(['T', ' ']) {
        Some(at) if text[..at].contains(['-', '/', '.']) && !text[..at].contains(':') => {
            let (date, time) = (&text[..at], text[at + 1..].trim());
            match day(date)? {
                Date::Known(day) => {
                    let (time, zone) = zone(time)?;
                    let time = time_of_day(time)?;
                    time.period.filter(|period| *period == 86_400 * SECOND)?;
                    Some(Clock {
                        nanoseconds: day * 86_400 * SECOND + time.nanoseconds - zone,
                        period: None,
                    })
                }
                Date::Ambiguous => time_of_day(time),
            }
        }
        _ => time_of_day(text),
    }
}

enum Date {
    /// Days since 1970.
    Known(i64),
    Ambiguous,
}

fn day(date: &str) -> Option<Date> {
    let mut parts = [0_i64; 3];
    let mut split = date.split(['-', '/', '.']);
    for part in &mut parts {
        *part = digits(split.next()?, 4)?;
    }
    if split.next().is_some() {
        return None;
    }
    let [year, month, day] = parts;
    if year < 1000 {
        return Some(Date::Ambiguous);
    }
    // Nanoseconds since 1970 fit in 64 bits until 2262.
    let sound =
        (1900..=2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    sound.then(|| Date::Known(days_since_1970(year, month, day)))
}

/// Days in the Gregorian calendar, counted in years that start in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

/// Time of day and offset of its zone from UTC [ns].
fn zone(time: &str) -> Option<(&str, i64)> {
    let time = time
        .strip_suffix(" UTC")
        .or_else(|| time.strip_suffix(['Z', 'z']))
        .unwrap_or(time);
    let Some(at) = time.find(['+', '-']) else {
        return Some((time, 0));
    };
    let sign = if time[at..].starts_with('-') { -1 } else { 1 };
    let ahead = &time[at + 1..];
    let (hours, minutes) = match ahead.split_once(':') {
        Some((hours, minutes)) => (digits(hours, 2)?, digits(minutes, 2)?),
        None if ahead.len() == 4 => (digits(ahead.get(..2)?, 2)?, digits(ahead.get(2..)?, 2)?),
        None => (digits(ahead, 2)?, 0),
    };
    Some((
        time[..at].trim_end(),
        sign * (hours * 60 + minutes) * 60 * SECOND,
    ))
}

/// `10:11:12.002`, `10:11:12,002`, `10:11:12:002`, `10:11:12.002 PM`, or minutes and seconds, `11:12.002`.
fn time_of_day(text: &str) -> Option<Clock> {
    let upper = text.to_ascii_uppercase();
    let (text, afternoon) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(time), _) => (time.trim_end(), Some(false)),
        (_, Some(time)) => (time.trim_end(), Some(true)),
        _ => (upper.as_str(), None),
    };
    let parts: Vec<&str> = text.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes, seconds] => (digits(hours, 3)?, digits(minutes, 2)?, fraction(seconds)?),
        [hours, minutes, seconds, thousandths] if thousandths.len() == 3 => {
            let seconds = digits(seconds, 2)? * SECOND + digits(thousandths, 3)? * 1_000_000;
            (digits(hours, 3)?, digits(minutes, 2)?, seconds)
        }
        // Without a fraction these may be hours and minutes.
        [minutes, seconds] if seconds.contains(['.', ',']) && afternoon.is_none() => {
            return Some(Clock {
                nanoseconds: digits(minutes, 4)? * 60 * SECOND + fraction(seconds)?,
                period: Some(3600 * SECOND),
            });
        }
        _ => return None,
    };
    let hours = match afternoon {
        None => hours,
        Some(_) if !(1..=12).contains(&hours) => return None,
        Some(afternoon) => hours % 12 + if afternoon { 12 } else { 0 },
    };
    if minutes >= 60 || seconds >= 61 * SECOND {
        return None;
    }
    Some(Clock {
        nanoseconds: (hours * 60 + minutes) * 60 * SECOND + seconds,
        period: Some(86_400 * SECOND),
    })
}

/// Seconds with a fraction [ns].
fn fraction(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut nanoseconds = 0;
    for place in 0..9 {
        let digit = fraction.as_bytes().get(place).map_or(0, |byte| byte - b'0');
        nanoseconds = nanoseconds * 10 + i64::from(digit);
    }
    Some(digits(whole, 2)? * SECOND + nanoseconds)
}

/// A whole number with a limited number of digits.
fn digits(text: &str, most: usize) -> Option<i64> {
    let sound = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    sound.then(|| text.parse().ok())?
}

/// Converts to seconds since the first time, also across midnight.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    first: Option<Clock>,
    last: i64,
    /// Total time lost by restarts of the clock at zero [ns].
    lost: i64,
    met: usize,
}

impl Count {
    /// Number of clock times read.
    pub(super) fn met(&self) -> usize {
        self.met
    }

    /// Seconds since the first time; `None` for a time in another notation than the first.
    pub(super) fn seconds(&mut self, clock: Clock) -> Option<f64> {
        let first = *self.first.get_or_insert(clock);
        if first.period != clock.period {
            return None;
        }
        self.met += 1;
        let mut now = clock.nanoseconds;
        if let Some(period) = clock.period {
            if self.last == 0 && self.lost == 0 {
                self.last = first.nanoseconds;
            }
            now += self.lost;
            if now < self.last - period / 2 {
                self.lost += period;
                now += period;
            } else if now > self.last + period / 2 && self.lost > 0 {
                // A row from before midnight that was written after midnight.
                now -= period;
            }
            self.last = self.last.max(now);
        }
        // The quotient is the double nearest to the decimal fraction.
        Some((now - first.nanoseconds) as f64 / SECOND as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(times: &[&str]) -> Vec<f64> {
        let mut count = Count::default();
        let parsed = times.iter().map(|text| parse(text.as_bytes()));
        parsed
            .map(|clock| count.seconds(clock.unwrap()).unwrap())
            .collect()
    }

    #[test]
    fn times_are_counted_from_the_first() {
        for times in [
            [
                "2024-02-28 23:59:59.999",
                "2024-02-29T00:00:00.001Z",
                "2024-03-01 00:00:00.001000",
            ],
            [
                "2024-02-28T23:59:59,999+00:00",
                "2024-02-29T01:00:00.001+0100",
                "2024-02-29T22:00:00.001-02",
            ],
            [
                "1 days 23:59:59.999",
                "2 days 00:00:00.001",
                "3 days 00:00:00.001",
            ],
        ] {
            assert_eq!(seconds(&times), [0.0, 0.002, 86_400.002], "{times:?}");
        }
        for times in [
            ["23:59:59.999", "00:00:00.001", "0:00:01.5"],
            ["11:59:59.999 PM", "12:00:00.001 AM", "12:00:01.500 am"],
            [
                "5/3/2024 11:59:59.999 PM",
                "5/4/2024 12:00:00.001 AM",
                "5/4/2024 12:00:01.5 AM",
            ],
            [
                "03.05.2024 23:59:59,999",
                "04.05.2024 00:00:00,001",
                "04.05.2024 00:00:01,5",
            ],
            ["23:59:59:999", "00:00:00:001", "00:00:01:500"],
            ["59:59.999", "00:00.001", "00:01.5"],
        ] {
            assert_eq!(seconds(&times), [0.0, 0.002, 1.501], "{times:?}");
        }
        // Neighbouring rows swapped at midnight.
        assert_eq!(
            seconds(&["23:59:58", "00:00:00", "23:59:59", "00:00:01"]),
            [0.0, 2.0, 1.0, 3.0]
        );
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "1.5",
            "10:11",
            "10:61:00",
            "a:b:c",
            "1:2",
            "2024-13-01 10:11:12",
            "2024-05-03",
            "10:11:12.0x",
            "13:00:00 PM",
            "2024-05-03 11:12.5",
            "-1:00:00",
            "µ:00:00.0",
            "2024-05-03 10:11:12+1µ",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
