//! Instruction sets, detected at run time. Only this module contains unsafe code.
//!
//! An operation is written once, as an [`Op`] over any [`Simd`]. [`Kernel::run`] compiles it for
//! each instruction set and calls the right version. Only the detection creates a value of an
//! instruction set's type, so such a value proves that the processor has the instructions.

use wide::f32x4;

/// Vectors of `f32`, with the functions that the operations need.
pub(crate) trait Simd: Copy {
    /// The contents of a register.
    type Vector: Copy;
    /// The number of `f32` in a register.
    const LANES: usize;
    /// How many rows of a result, each two vectors wide, fit into the registers beside the
    /// operands.
    const ROWS: usize;

    /// Returns a vector with `value` in all lanes.
    fn splat(self, value: f32) -> Self::Vector;
    /// Reads the first [`LANES`](Self::LANES) numbers.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    fn load(self, from: &[f32]) -> Self::Vector;
    /// Overwrites the first [`LANES`](Self::LANES) numbers.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    fn store(self, vector: Self::Vector, to: &mut [f32]);
    /// `a + b`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a − b`.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a·b + c`, rounded once if the processor has fused multiplication.
    fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
}

/// A computation with vectors. Implementations mark `run`, and all functions that it calls,
/// `#[inline(always)]`, because only inlined code is compiled for the instruction set.
pub(crate) trait Op {
    /// The result.
    type Output;
    /// Computes the result.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// An instruction set that runs networks.
///
/// ```
/// use centipawn_policy::Kernel;
///
/// assert!(Kernel::available().contains(&Kernel::best()));
/// assert_eq!(Kernel::by_name("portable").map(Kernel::name), Some("portable"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Isa);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isa {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Kernel {
    /// Uses 4 lanes and the instructions that every processor of the architecture has: SSE2, NEON,
    /// or scalar arithmetic. It is always available.
    pub(crate) const PORTABLE: Kernel = Kernel(Isa::Portable);

    /// Returns the kernels that this processor can run, from the slowest to the fastest. Never
    /// empty.
    pub fn available() -> Vec<Kernel> {
        #[allow(unused_mut)]
        let mut kernels = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(x86::Avx2::detect().map(|isa| Kernel(Isa::Avx2(isa))));
            kernels.extend(x86::Avx512::detect().map(|isa| Kernel(Isa::Avx512(isa))));
        }
        kernels
    }

    /// Returns the fastest kernel that this processor can run.
    pub fn best() -> Kernel {
        Self::available().pop().unwrap_or(Self::PORTABLE)
    }

    /// Returns the kernel with this name; `None` if no kernel has it or this processor cannot run
    /// it.
    pub fn by_name(name: &str) -> Option<Kernel> {
        Self::available()
            .into_iter()
            .find(|kernel| kernel.name() == name)
    }

    /// Returns the name: `portable`, `avx2` (with FMA) or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Isa::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(_) => "avx512",
        }
    }

    /// Returns the number of columns in a panel of packed weights, which is two vectors.
    pub(crate) fn panel(self) -> usize {
        struct Panel;
        impl Op for Panel {
            type Output = usize;
            fn run<S: Simd>(self, _: S) -> usize {
                2 * S::LANES
            }
        }
        self.run(Panel)
    }

    /// Runs an operation with this instruction set.
    #[inline]
    pub(crate) fn run<O: Op>(self, op: O) -> O::Output {
        match self.0 {
            Isa::Portable => op.run(Portable),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(isa) => isa.run(op),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(isa) => isa.run(op),
        }
    }
}

/// Four lanes, with instructions that every processor has.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Simd for Portable {
    type Vector = f32x4;
    const LANES: usize = 4;
    const ROWS: usize = 6;

    #[inline(always)]
    fn splat(self, value: f32) -> f32x4 {
        f32x4::splat(value)
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> f32x4 {
        f32x4::new([from[0], from[1], from[2], from[3]])
    }
    #[inline(always)]
    fn store(self, vector: f32x4, to: &mut [f32]) {
        to[..4].copy_from_slice(&vector.to_array());
    }
    #[inline(always)]
    fn add(self, a: f32x4, b: f32x4) -> f32x4 {
        a + b
    }
    #[inline(always)]
    fn sub(self, a: f32x4, b: f32x4) -> f32x4 {
        a - b
    }
    #[inline(always)]
    fn mul_add(self, a: f32x4, b: f32x4, c: f32x4) -> f32x4 {
        a.mul_add(b, c)
    }
}

/// One lane, for the rest of a row that does not fill a vector.
#[derive(Clone, Copy)]
pub(crate) struct Single;

impl Simd for Single {
    type Vector = f32;
    const LANES: usize = 1;
    const ROWS: usize = 4;

    #[inline(always)]
    fn splat(self, value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> f32 {
        from[0]
    }
    #[inline(always)]
    fn store(self, vector: f32, to: &mut [f32]) {
        to[0] = vector;
    }
    #[inline(always)]
    fn add(self, a: f32, b: f32) -> f32 {
        a + b
    }
    #[inline(always)]
    fn sub(self, a: f32, b: f32) -> f32 {
        a - b
    }
    #[inline(always)]
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Op, Simd};

    /// Defines an instruction set: its registers, the features to detect, and the names of its
    /// instructions.
    macro_rules! instruction_set {
        (
            $(#[$doc:meta])* $name:ident, $vector:ty, $lanes:literal lanes, $rows:literal rows,
            features $all:literal: $($feature:tt),+;
            $splat:ident $load:ident $store:ident $add:ident $sub:ident $mul_add:ident
        ) => {
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub(super) struct $name(());

            impl $name {
                /// Returns the instruction set if the processor and the operating system support
                /// it.
                pub(super) fn detect() -> Option<Self> {
                    ($(is_x86_feature_detected!($feature))&&+).then_some($name(()))
                }

                /// Runs an operation with this instruction set.
                #[inline]
                pub(super) fn run<O: Op>(self, op: O) -> O::Output {
                    #[target_feature(enable = $all)]
                    fn compiled_for<O: Op>(isa: $name, op: O) -> O::Output {
                        op.run(isa)
                    }
                    // SAFETY: `self` exists, so `detect` has found every feature that
                    // `compiled_for` enables.
                    unsafe { compiled_for(self, op) }
                }
            }

            impl Simd for $name {
                type Vector = $vector;
                const LANES: usize = $lanes;
                const ROWS: usize = $rows;

                #[inline(always)]
                fn splat(self, value: f32) -> $vector {
                    // SAFETY: `self` exists, so the processor has the instruction.
                    unsafe { $splat(value) }
                }
                #[inline(always)]
                fn load(self, from: &[f32]) -> $vector {
                    let from = &from[..$lanes];
                    // SAFETY: `self` exists, so the processor has the instruction. It reads
                    // unaligned memory, and exactly the lanes to which the slice was shortened.
                    unsafe { $load(from.as_ptr()) }
                }
                #[inline(always)]
                fn store(self, vector: $vector, to: &mut [f32]) {
                    let to = &mut to[..$lanes];
                    // SAFETY: as in `load`. The slice is borrowed mutably, so writing is allowed.
                    unsafe { $store(to.as_mut_ptr(), vector) }
                }
                #[inline(always)]
                fn add(self, a: $vector, b: $vector) -> $vector {
                    // SAFETY: `self` exists, so the processor has the instruction.
                    unsafe { $add(a, b) }
                }
                #[inline(always)]
                fn sub(self, a: $vector, b: $vector) -> $vector {
                    // SAFETY: `self` exists, so the processor has the instruction.
                    unsafe { $sub(a, b) }
                }
                #[inline(always)]
                fn mul_add(self, a: $vector, b: $vector, c: $vector) -> $vector {
                    // SAFETY: `self` exists, so the processor has the instruction.
                    unsafe { $mul_add(a, b, c) }
                }
            }
        };
    }

    instruction_set! {
        /// Eight lanes and fused multiplication, sixteen registers.
        Avx2, __m256, 8 lanes, 6 rows, features "avx2,fma": "avx2", "fma";
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_fmadd_ps
    }

    instruction_set! {
        /// Sixteen lanes, thirty-two registers.
        Avx512, __m512, 16 lanes, 8 rows, features "avx512f,avx512vl,avx2,fma": "avx512f", "avx512vl", "avx2", "fma";
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_fmadd_ps
    }
}
