// @ts-check
// Random numbers, bit for bit those of the library: the seed of a run by MT19937, the order of rows by splitmix64.

/** a · b, the upper 32 of its 64 bits. @param {number} a @param {number} b */
function high(a, b) {
  const al = a & 0xffff, ah = a >>> 16, bl = b & 0xffff, bh = b >>> 16;
  const middle = ah * bl + ((al * bl) >>> 16);
  return ah * bh + (middle >>> 16) + ((al * bh + (middle & 0xffff)) >>> 16);
}

/** Vigna's splitmix64 as two halves of 32 bits; `next32` is the upper half of the next number. */
export class SplitMix {
  /** @param {number} seed a whole number from 0 to 2³² - 1 */
  constructor(seed) {
    this.hi = 0;
    this.lo = seed >>> 0;
  }

  next32() {
    const lo0 = (this.lo + 0x7f4a7c15) >>> 0;
    this.hi = (this.hi + 0x9e3779b9 + (lo0 < this.lo ? 1 : 0)) >>> 0;
    this.lo = lo0;
    let hi = this.hi, lo = lo0;
    lo = (lo ^ ((lo >>> 30) | (hi << 2))) >>> 0;
    hi = (hi ^ (hi >>> 30)) >>> 0;
    hi = (high(lo, 0x1ce4e5b9) + Math.imul(hi, 0x1ce4e5b9) + Math.imul(lo, 0xbf58476d)) >>> 0;
    lo = Math.imul(lo, 0x1ce4e5b9) >>> 0;
    lo = (lo ^ ((lo >>> 27) | (hi << 5))) >>> 0;
    hi = (hi ^ (hi >>> 27)) >>> 0;
    hi = (high(lo, 0x133111eb) + Math.imul(hi, 0x133111eb) + Math.imul(lo, 0x94d049bb)) >>> 0;
    return (hi ^ (hi >>> 31)) >>> 0; // only the upper half is used
  }

  /** A whole number from 0 to last. @param {number} last */
  below(last) {
    return Math.floor((this.next32() * (last + 1)) / 4294967296);
  }

  /** A number in [0, 1). */
  uniform() {
    return this.next32() / 4294967296;
  }

  /** Nearly normal with mean 0 and variance 1, by twelve uniform numbers: the same bits in every browser. */
  normal() {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += this.uniform();
    return sum;
  }
}

/** What numpy's RandomState(seed).randint(2³¹ - 1) returns first. @param {number} seed */
export function firstNumber(seed) {
  const mt = new Uint32Array(624);
  mt[0] = seed;
  for (let i = 1; i < 624; i++) mt[i] = Math.imul(1812433253, mt[i - 1] ^ (mt[i - 1] >>> 30)) + i;
  for (let i = 0; ; i++) { // one number in 2³¹ is refused, so that the loop ends at once
    const y = (mt[i] & 0x80000000) | (mt[i + 1] & 0x7fffffff);
    let z = mt[i + 397] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    z ^= z >>> 11;
    z ^= (z << 7) & 0x9d2c5680;
    z ^= (z << 15) & 0xefc60000;
    z = (z ^ (z >>> 18)) & 0x7fffffff;
    if (z <= 0x7ffffffe) return z;
  }
}

/** The rows of each epoch in turn: Fisher and Yates's shuffle in place, or the order in which they came. */
export class Orders {
  /** @param {Int32Array} rows @param {number | null} seed null: the order of the rows */
  constructor(rows, seed) {
    this.rows = rows.slice();
    this.random = seed === null ? null : new SplitMix(firstNumber(seed));
  }

  next() {
    const rows = this.rows;
    if (this.random) {
      for (let last = rows.length - 1; last > 0; last--) {
        const chosen = this.random.below(last), kept = rows[last];
        rows[last] = rows[chosen];
        rows[chosen] = kept;
      }
    }
    return rows;
  }
}
