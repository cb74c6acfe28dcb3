//! Parses ONNX files by the published field numbers and evaluates the operators of policies. It is independent of the writer.

use std::collections::HashMap;

/// Rows of numbers. Constants have one row, or shape `[n_outputs, n_inputs]`.
#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) numbers: Vec<f64>,
}

/// A field of a message: its number, and an integer or bytes.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a varint goes on");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    value
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            wire => {
                let length = if wire == 5 {
                    4
                } else {
                    varint(&mut bytes) as usize
                };
                let (field, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(field)
            }
        };
        all.push((key >> 3, field));
    }
    all
}

/// All values of a bytes field.
fn all(message: &[u8], number: u64) -> Vec<&[u8]> {
    let chosen = fields(message).into_iter().filter(|(n, _)| *n == number);
    chosen
        .filter_map(|(_, field)| match field {
            Field::Bytes(bytes) => Some(bytes),
            Field::Number(_) => None,
        })
        .collect()
}

fn numbers(message: &[u8], number: u64) -> Vec<u64> {
    let chosen = fields(message).into_iter().filter(|(n, _)| *n == number);
    chosen
        .filter_map(|(_, field)| match field {
            Field::Number(value) => Some(value),
            Field::Bytes(_) => None,
        })
        .collect()
}

fn one(message: &[u8], number: u64) -> &[u8] {
    all(message, number)[0]
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("texts are UTF-8")
}

fn texts(message: &[u8], number: u64) -> Vec<String> {
    all(message, number).into_iter().map(text).collect()
}

fn constant(tensor: &[u8]) -> (String, Array) {
    let shape: Vec<usize> = numbers(tensor, 1).iter().map(|n| *n as usize).collect();
    let raw = one(tensor, 9);
    let values: Vec<f64> = match numbers(tensor, 2)[..] {
        [1] => raw
            .as_chunks()
            .0
            .iter()
            .map(|b| f64::from(f32::from_le_bytes(*b)))
            .collect(),
        [7] => raw
            .as_chunks()
            .0
            .iter()
            .map(|b| i64::from_le_bytes(*b) as f64)
            .collect(),
        [11] => raw
            .as_chunks()
            .0
            .iter()
            .map(|b| f64::from_le_bytes(*b))
            .collect(),
        ref other => panic!("a tensor of type {other:?}"),
    };
    assert_eq!(values.len(), shape.iter().product::<usize>(), "shape");
    (
        text(one(tensor, 8)),
        Array {
            shape,
            numbers: values,
        },
    )
}

/// A model: its operators in order, constants, and metadata.
pub(crate) struct Model {
    nodes: Vec<Vec<u8>>,
    constants: HashMap<String, Array>,
    pub(crate) metadata: HashMap<String, String>,
    /// Version of the file format and of the operators.
    pub(crate) versions: [u64; 2],
    /// Name, `dim_param` and width of input and output.
    pub(crate) ends: [(String, String, u64); 2],
}

impl Model {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let graph = one(bytes, 7);
        let entries = all(bytes, 14);
        Self {
            nodes: all(graph, 1).into_iter().map(<[u8]>::to_vec).collect(),
            constants: all(graph, 5).into_iter().map(constant).collect(),
            metadata: entries
                .iter()
                .map(|it| (text(one(it, 1)), text(one(it, 2))))
                .collect(),
            versions: [numbers(bytes, 1)[0], numbers(one(bytes, 8), 2)[0]],
            ends: [11, 12].map(|end| {
                let value = one(graph, end);
                let tensor = one(one(value, 2), 1);
                assert_eq!(numbers(tensor, 1), [1], "single precision");
                let dims = all(one(tensor, 2), 1);
                (
                    text(one(value, 1)),
                    text(one(dims[0], 2)),
                    numbers(dims[1], 1)[0],
                )
            }),
        }
    }

    /// Names of the operators in order.
    pub(crate) fn operators(&self) -> Vec<String> {
        self.nodes.iter().map(|node| text(one(node, 4))).collect()
    }

    /// The output for rows of `width` numbers.
    pub(crate) fn run(&self, observations: &[f32], width: usize) -> Vec<f64> {
        let mut values = self.constants.clone();
        let rows = Array {
            shape: vec![observations.len() / width, width],
            numbers: observations.iter().map(|x| f64::from(*x)).collect(),
        };
        values.insert(self.ends[0].0.clone(), rows);
        for node in &self.nodes {
            let inputs = texts(node, 1);
            let inputs: Vec<&Array> = inputs.iter().map(|name| &values[name]).collect();
            let result = evaluate(&text(one(node, 4)), node, &inputs);
            values.insert(texts(node, 2).remove(0), result);
        }
        values[&self.ends[1].0].numbers.clone()
    }
}

fn evaluate(operator: &str, node: &[u8], inputs: &[&Array]) -> Array {
    let x = inputs[0];
    let each = |f: &dyn Fn(f64) -> f64| Array {
        shape: x.shape.clone(),
        numbers: x.numbers.iter().map(|x| f(*x)).collect(),
    };
    let both = |f: &dyn Fn(f64, f64) -> f64| {
        let y = inputs[1].numbers.iter().cycle();
        let numbers = x.numbers.iter().zip(y).map(|(x, y)| f(*x, *y)).collect();
        Array {
            shape: x.shape.clone(),
            numbers,
        }
    };
    // Attributes by name: an integer or a single-precision number.
    let attribute = |name: &str| {
        let found = all(node, 5).into_iter().find(|it| text(one(it, 1)) == name);
        found
            .unwrap_or_else(|| panic!("{operator} needs {name}"))
            .to_vec()
    };
    match operator {
        "Cast" => match numbers(&attribute("to"), 3)[..] {
            [1] => each(&|x| f64::from(x as f32)),
            [11] => each(&|x| x),
            ref other => panic!("a cast to {other:?}"),
        },
        "Sub" => both(&|x, y| x - y),
        "Mul" => both(&|x, y| x * y),
        "Add" => both(&|x, y| x + y),
        "Max" => both(&f64::max),
        "Min" => both(&f64::min),
        "Clip" => each(&|x| x.clamp(inputs[1].numbers[0], inputs[2].numbers[0])),
        "Tanh" => each(&f64::tanh),
        "Relu" => each(&|x| x.max(0.0)),
        "Sigmoid" => each(&|x| 1.0 / (1.0 + (-x).exp())),
        "Elu" => {
            let alpha =
                f32::from_le_bytes(one(&attribute("alpha"), 2).try_into().expect("four bytes"));
            each(&|x| {
                if x > 0.0 {
                    x
                } else {
                    f64::from(alpha) * x.exp_m1()
                }
            })
        }
        "Gemm" => {
            assert_eq!(numbers(&attribute("transB"), 3), [1]);
            gemm(x, inputs[1], inputs[2])
        }
        "Slice" => {
            assert_eq!(inputs[3].numbers, [1.0], "columns");
            let [start, end] = [1, 2].map(|at| inputs[at].numbers[0] as usize);
            let rows = x.numbers.chunks_exact(x.shape[1]);
            Array {
                shape: vec![x.shape[0], end - start],
                numbers: rows.flat_map(|row| row[start..end].to_vec()).collect(),
            }
        }
        "Reshape" => {
            assert_eq!(inputs[1].numbers[0], -1.0, "any number of rows");
            let rest = inputs[1].numbers[1..].iter().map(|n| *n as usize);
            Array {
                shape: std::iter::once(x.shape[0]).chain(rest).collect(),
                numbers: x.numbers.clone(),
            }
        }
        "Transpose" => transpose(x, &numbers(&attribute("perm"), 8)),
        "Concat" => {
            assert_eq!(numbers(&attribute("axis"), 3), [1]);
            let row = |row: usize| {
                let parts = inputs.iter();
                parts.flat_map(move |part| {
                    part.numbers[row * part.shape[1]..][..part.shape[1]].to_vec()
                })
            };
            Array {
                shape: vec![x.shape[0], inputs.iter().map(|part| part.shape[1]).sum()],
                numbers: (0..x.shape[0]).flat_map(row).collect(),
            }
        }
        "Conv" => {
            for (name, expected) in [
                ("strides", vec![2, 2]),
                ("pads", vec![1; 4]),
                ("kernel_shape", vec![3, 3]),
            ] {
                assert_eq!(numbers(&attribute(name), 8), expected, "{name}");
            }
            convolve(x, inputs[1], inputs[2])
        }
        other => panic!("no operator {other} is expected"),
    }
}

fn gemm(x: &Array, weights: &Array, bias: &Array) -> Array {
    let [n_outputs, n_inputs] = weights.shape[..] else {
        panic!("weights are a matrix")
    };
    let rows = x.numbers.chunks_exact(n_inputs);
    let numbers = rows.flat_map(|row| {
        (0..n_outputs).map(move |output| {
            let weights = &weights.numbers[output * n_inputs..][..n_inputs];
            let sum: f64 = row.iter().zip(weights).map(|(x, w)| x * w).sum();
            sum + bias.numbers[output]
        })
    });
    Array {
        shape: vec![x.shape[0], n_outputs],
        numbers: numbers.collect(),
    }
}

fn transpose(x: &Array, order: &[u64]) -> Array {
    let order: Vec<usize> = order.iter().map(|axis| *axis as usize).collect();
    let shape: Vec<usize> = order.iter().map(|axis| x.shape[*axis]).collect();
    let numbers = (0..x.numbers.len()).map(|number| {
        // Place in the result, from its last axis to its first.
        let (mut rest, mut place) = (number, vec![0; shape.len()]);
        for axis in (0..shape.len()).rev() {
            place[order[axis]] = rest % shape[axis];
            rest /= shape[axis];
        }
        let at = place
            .iter()
            .zip(&x.shape)
            .fold(0, |at, (place, n)| at * n + place);
        x.numbers[at]
    });
    Array {
        numbers: numbers.collect(),
        shape,
    }
}

/// Kernels of 3 × 3 with a step of 2 and a border of 1, on planes.
fn convolve(x: &Array, weights: &Array, bias: &Array) -> Array {
    let (&[n, channels, rows, columns], &[n_outputs, of_kernel, 3, 3]) =
        (&x.shape[..], &weights.shape[..])
    else {
        panic!("kernels of 3 × 3")
    };
    assert_eq!(channels, of_kernel, "channels");
    let [down, across] = [rows, columns].map(|n: usize| n.div_ceil(2));
    let mut numbers = Vec::new();
    for (sample, output, row, column) in (0..n * n_outputs * down * across).map(|i| {
        (
            i / across / down / n_outputs,
            i / across / down % n_outputs,
            i / across % down,
            i % across,
        )
    }) {
        let mut sum = bias.numbers[output];
        for (channel, y, x_offset) in (0..channels * 9).map(|i| (i / 9, i / 3 % 3, i % 3)) {
            let (at_row, at_column) = (2 * row + y, 2 * column + x_offset);
            if (1..=rows).contains(&at_row) && (1..=columns).contains(&at_column) {
                let pixel =
                    ((sample * channels + channel) * rows + at_row - 1) * columns + at_column - 1;
                let weight = ((output * channels + channel) * 3 + y) * 3 + x_offset;
                sum += weights.numbers[weight] * x.numbers[pixel];
            }
        }
        numbers.push(sum);
    }
    Array {
        shape: vec![n, n_outputs, down, across],
        numbers,
    }
}
