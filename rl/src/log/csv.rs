//! `progress.csv`: one row per iteration.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use insonate_files::AppendFile;

use crate::RlError;
use crate::training::Progress;

/// Columns before the scalars.
const FIXED: [&str; 2] = ["iteration", "global_step"];

/// The table. Rows are on the disk after [`CsvLog::sync`].
#[derive(Debug)]
pub struct CsvLog {
    file: AppendFile,
    /// Names of the columns. `None` before the first row of a new table.
    columns: Option<Vec<String>>,
}

impl CsvLog {
    /// Opens or creates the table. Drops an incomplete row and rows beyond `global_step`, which a resumed training writes again.
    ///
    /// # Errors
    /// [`RlError::Io`], [`RlError::Write`]; [`RlError::File`] if the file is not such a table.
    pub fn open(path: &Path, global_step: u64) -> Result<Self, RlError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(RlError::io(path, "cannot be read")(error)),
        };
        let (kept, columns) = truncated(&text, global_step)
            .ok_or_else(|| RlError::file(path, "is not a table of iterations"))?;
        if kept != text {
            insonate_files::write(path, kept.as_bytes())?;
        }
        Ok(Self {
            file: AppendFile::open(path)?,
            columns,
        })
    }

    /// Appends the row of an iteration. Unknown values are left empty.
    ///
    /// # Errors
    /// [`RlError::Write`]; [`RlError::File`] if the columns differ.
    pub fn write(&mut self, progress: &Progress) -> Result<(), RlError> {
        let names = progress.scalars.iter().map(|(name, _)| name.clone());
        let columns: Vec<String> = FIXED.map(str::to_owned).into_iter().chain(names).collect();
        let mut text = String::new();
        match &self.columns {
            None => {
                text += &line(columns.iter().map(|name| quoted(name)));
                self.columns = Some(columns);
            }
            Some(known) if *known != columns => {
                let problem = "has other columns than this training: move it away";
                return Err(RlError::file(self.file.path(), problem));
            }
            Some(_) => {}
        }
        let fixed = [
            progress.iteration.to_string(),
            progress.global_step.to_string(),
        ];
        let figures = progress.scalars.iter().map(|(_, value)| {
            if value.is_nan() {
                String::new()
            } else {
                format!("{value:?}")
            }
        });
        text += &line(fixed.into_iter().chain(figures));
        Ok(self.file.append(text.as_bytes())?)
    }

    /// Waits until all rows are on the disk.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn sync(&self) -> Result<(), RlError> {
        Ok(self.file.sync()?)
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let mut line = cells.collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

/// A name as a cell, quoted if it contains commas or quotes (RFC 4180, §2).
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// Splits a header line into cells.
fn unquoted(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut inside) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    cells.push(cell);
    cells
}

/// The text without rows beyond a step and without an incomplete last line, and the columns. `None` if it is not such a table.
fn truncated(text: &str, global_step: u64) -> Option<(String, Option<Vec<String>>)> {
    let mut lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let Some(header) = lines.next() else {
        // Empty, or an incomplete header.
        let is_ours = FIXED.join(",").starts_with(text) || text.starts_with(&FIXED.join(","));
        return is_ours.then(|| (String::new(), None));
    };
    let columns = unquoted(header.trim_end());
    if columns.len() < FIXED.len() || columns[..FIXED.len()] != FIXED {
        return None;
    }
    let mut kept = header.to_owned();
    for line in lines {
        let step: u64 = line.split(',').nth(1)?.trim_end().parse().ok()?;
        if step > global_step {
            break;
        }
        kept += line;
    }
    if kept == header && global_step == 0 {
        return Some((String::new(), None));
    }
    Some((kept, Some(columns)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "iteration,global_step,\"a \"\"b\"\", c\"\n1,100,0.5\n2,200,\n3,300,1e-7\n";

    #[test]
    fn rows_beyond_the_step_and_half_lines_are_truncated() {
        let columns = ["iteration", "global_step", "a \"b\", c"]
            .map(str::to_owned)
            .to_vec();
        let (kept, found) = truncated(TABLE, 200).unwrap();
        assert_eq!(kept, TABLE[..TABLE.len() - "3,300,1e-7\n".len()]);
        assert_eq!(found, Some(columns));
        // Wherever the text is cut, whole rows remain.
        for len in 0..=TABLE.len() {
            let (kept, _) = truncated(&TABLE[..len], 300).unwrap();
            assert!(TABLE.starts_with(&kept));
            let n_whole = TABLE[..len].matches('\n').count();
            assert_eq!(kept.matches('\n').count(), n_whole, "{len}");
        }
    }

    #[test]
    fn a_training_from_the_start_starts_a_new_table() {
        assert_eq!(truncated(TABLE, 0), Some((String::new(), None)));
    }

    #[test]
    fn other_files_are_left_alone() {
        assert_eq!(truncated("time,force\n1,2\n", 5), None);
        assert_eq!(truncated("words", 5), None);
        assert_eq!(truncated("iteration,global_step\n1,x\n", 5), None);
    }
}
