//! The few Python literals of a NumPy header: parsed, never evaluated.

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    Integer(u64),
    Boolean(bool),
    /// A tuple or a list.
    Sequence(Vec<Literal>),
    Dictionary(Vec<(String, Literal)>),
}

/// Maximum nesting depth, slightly more than a header needs.
const MAX_DEPTH: usize = 8;

/// Parses a text that consists of one literal and blanks.
pub(super) fn parse(text: &str) -> Result<Literal, String> {
    let mut parser = Parser {
        rest: text.trim_ascii(),
    };
    let literal = parser.literal(0)?;
    match parser.rest.trim_ascii() {
        "" => Ok(literal),
        _ => Err("has text after its dictionary".to_owned()),
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Result<Literal, String> {
        if depth > MAX_DEPTH {
            return Err("is nested too deeply".to_owned());
        }
        self.rest = self.rest.trim_ascii_start();
        match self.rest.bytes().next() {
            Some(quote @ (b'\'' | b'"')) => self.text(char::from(quote)),
            Some(b'0'..=b'9') => self.integer(),
            Some(b'(') => self.sequence(')', depth),
            Some(b'[') => self.sequence(']', depth),
            Some(b'{') => self.dictionary(depth),
            _ if self.take("True") => Ok(Literal::Boolean(true)),
            _ if self.take("False") => Ok(Literal::Boolean(false)),
            Some(_) => {
                let shown: String = self.rest.chars().take(12).collect();
                Err(format!("has \"{shown}\" where a value belongs"))
            }
            None => Err("ends too early".to_owned()),
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_ascii_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn text(&mut self, quote: char) -> Result<Literal, String> {
        let inside = &self.rest[1..];
        let end = inside
            .find([quote, '\\'])
            .ok_or("has a text without an end")?;
        if inside[end..].starts_with('\\') {
            return Err("has a name with a backslash".to_owned());
        }
        self.rest = &inside[end + 1..];
        Ok(Literal::Text(inside[..end].to_owned()))
    }

    fn integer(&mut self) -> Result<Literal, String> {
        let end = self
            .rest
            .find(|character: char| !character.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Python 2 wrote `3L`.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        let number = digits
            .parse()
            .map_err(|_| format!("has {digits}, which is too large for a length"))?;
        Ok(Literal::Integer(number))
    }

    fn sequence(&mut self, close: char, depth: usize) -> Result<Literal, String> {
        self.rest = &self.rest[1..];
        let mut items = Vec::new();
        let close = close.to_string();
        while !self.take(&close) {
            items.push(self.literal(depth + 1)?);
            if !self.take(",") {
                if self.take(&close) {
                    break;
                }
                return Err(format!("has a list without \"{close}\""));
            }
        }
        Ok(Literal::Sequence(items))
    }

    fn dictionary(&mut self, depth: usize) -> Result<Literal, String> {
        self.rest = &self.rest[1..];
        let mut entries = Vec::new();
        while !self.take("}") {
            let Literal::Text(key) = self.literal(depth + 1)? else {
                return Err("has a key that is not text".to_owned());
            };
            if !self.take(":") {
                return Err(format!("has no value for \"{key}\""));
            }
            entries.push((key, self.literal(depth + 1)?));
            if !self.take(",") {
                if self.take("}") {
                    break;
                }
                return Err("has a dictionary without \"}\"".to_owned());
            }
        }
        Ok(Literal::Dictionary(entries))
    }
}
