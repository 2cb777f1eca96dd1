//! Arrays of any number type, as the numbers of cells.

use numpy::{Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::cells::OUTSIDE;
use crate::failure::exception;

/// An array, and its shape.
pub struct Array<T> {
    pub shape: Vec<usize>,
    pub numbers: Vec<T>,
}

/// Makes a numpy array of any object that numpy takes.
pub fn array<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    let made = object.py().import("numpy")?.call_method1("asarray", (object,));
    let made = made.map_err(|error| exception("EncodingError", format!("the rows have no common shape: {error}")))?;
    Ok(made.cast_into::<PyUntypedArray>()?)
}

/// Takes the numbers of cells. A number that is no whole number from -128 to 126 becomes [`OUTSIDE`].
pub fn cells(array: &Bound<'_, PyUntypedArray>) -> PyResult<Array<i8>> {
    /// Tries one number type after the other.
    macro_rules! first_of {
        ($($number:ty: $small:expr),+) => {
            $(if let Some(numbers) = taken::<$number, i8>(array, $small) { return Ok(numbers); })+
        };
    }
    fn whole(number: f64) -> i8 {
        if number.fract() == 0.0 && (-128.0..127.0).contains(&number) { number as i8 } else { OUTSIDE }
    }
    first_of!(
        i8: |n| n,
        u8: |n| i8::try_from(n).unwrap_or(OUTSIDE),
        bool: i8::from,
        i64: |n| i8::try_from(n).unwrap_or(OUTSIDE),
        i32: |n| i8::try_from(n).unwrap_or(OUTSIDE),
        f32: |n| whole(n.into()),
        f64: whole,
        i16: |n| i8::try_from(n).unwrap_or(OUTSIDE),
        u16: |n| i8::try_from(n).unwrap_or(OUTSIDE),
        u32: |n| i8::try_from(n).unwrap_or(OUTSIDE),
        u64: |n| i8::try_from(n).unwrap_or(OUTSIDE)
    );
    Err(wrong_type(array, "int8"))
}

/// Takes the words of bitboards. A negative number becomes one with bits outside every board.
pub fn words(array: &Bound<'_, PyUntypedArray>) -> PyResult<Array<u64>> {
    if array.len() == 0 {
        // numpy takes an empty list for floats.
        return Ok(Array { shape: array.shape().to_vec(), numbers: Vec::new() });
    }
    taken::<u64, u64>(array, |word| word)
        .or_else(|| taken::<i64, u64>(array, i64::cast_unsigned))
        .ok_or_else(|| wrong_type(array, "uint64"))
}

fn taken<N: Element + Copy, T>(array: &Bound<'_, PyUntypedArray>, small: impl Fn(N) -> T) -> Option<Array<T>> {
    let array = array.cast::<PyArrayDyn<N>>().ok()?;
    let numbers = array.try_readonly().ok()?;
    // In the order of rows, whatever the order in memory.
    let view = numbers.as_array();
    let numbers = match view.as_slice() {
        Some(numbers) => numbers.iter().copied().map(small).collect(),
        None => view.iter().copied().map(small).collect(),
    };
    Some(Array { shape: array.shape().to_vec(), numbers })
}

fn wrong_type(array: &Bound<'_, PyUntypedArray>, wanted: &str) -> PyErr {
    let (found, letter) = (array.dtype().to_string(), char::from(array.dtype().kind()));
    let hint = if letter == 'O' { "; give rows of equal length" } else { "" };
    exception(
        "EncodingError",
        format!("the array has numbers of type {found}; convert it with .astype(\"{wanted}\"){hint}"),
    )
}
