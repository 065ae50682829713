// @ts-check
// Exact arithmetic on doubles: a double is a whole number times a power of two, so all of them are whole numbers of one
// small unit. Signs are first computed in floating point, and in BigInt only where rounding could decide.

const bits = new DataView(new ArrayBuffer(8));

/** The mantissa and the exponent of a finite double: value = mantissa · 2^exponent. @param {number} value @returns {[bigint, number]} */
function parts(value) {
  bits.setFloat64(0, value);
  const all = bits.getBigUint64(0), exponent = Number((all >> 52n) & 0x7ffn), fraction = all & 0xfffffffffffffn;
  const mantissa = exponent ? fraction | (1n << 52n) : fraction;
  return [all >> 63n ? -mantissa : mantissa, (exponent || 1) - 1075];
}

/** Doubles as whole numbers of one unit, 2^-shift. @param {ArrayLike<number>} values @returns {{whole: bigint[], shift: number}} */
export function asWhole(values) {
  const split = Array.from(values, parts);
  let least = 0;
  for (const [mantissa, exponent] of split) {
    if (mantissa === 0n) continue;
    let m = mantissa, e = exponent;
    while (e < 0 && (m & 1n) === 0n) (m >>= 1n), e++;
    least = Math.min(least, e);
  }
  return { whole: split.map(([m, e]) => (e >= least ? m << BigInt(e - least) : m >> BigInt(least - e))), shift: -least };
}

/** a/b as the nearest double, or close to it. @param {bigint} a @param {bigint} b */
export function ratio(a, b) {
  if (a === 0n) return 0;
  const negative = a < 0n !== b < 0n;
  let top = a < 0n ? -a : a, low = b < 0n ? -b : b;
  const shift = low.toString(2).length - top.toString(2).length + 64; // 64 or 65 bits of quotient
  if (shift >= 0) top <<= BigInt(shift);
  else low <<= BigInt(-shift);
  const value = Number(top / low) * 2 ** -shift;
  return negative ? -value : value;
}

/** A fraction in lowest terms, as text. @param {bigint} a @param {bigint} b */
export function fraction(a, b) {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y) [x, y] = [y, x % y];
  const sign = b < 0n ? -1n : 1n;
  return (b / x) * sign === 1n ? String((a / x) * sign) : `${(a / x) * sign}/${(b / x) * sign}`;
}
