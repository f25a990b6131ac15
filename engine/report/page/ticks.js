// Where an axis begins and ends and which of its values are written: those that a reader expects there, as 1, 2, 5, 10,
// or 64 KiB, 128 KiB, 256 KiB.

const kMargin = 0.04;       // of the axis, free beside the outermost values
const kLeastLogSpan = 3;    // below, a logarithmic axis would look like a linear one with worse labels
const kDecade = [[1, 1.5, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]];  // densest first
const kMaxStride = 512;     // decades or doublings between two values written

const isWideRange = ([low, high]) => low > 0 && high >= kLeastLogSpan * low;

// [least, largest] of the finite values.
function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const x of values) {
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return [low, high];
}

// [first, last] of an axis on which all values from low to high are seen.
function axisEnds([low, high], log) {
  if (!(low <= high)) return log ? [1, 10] : [0, 1];
  if (low === high) return low === 0 ? [0, 1] : [low * 0.9, low * 1.1].toSorted((a, b) => a - b);
  if (log) return [low / (high / low) ** kMargin, high * (high / low) ** kMargin];
  const margin = (high - low) * kMargin;
  return [low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin];
}

// The densest round values of an axis that stand at least `room` apart, a fraction of the axis.
function axisTicks([first, last], room, {log = false, binary = false} = {}) {
  const along = log ? (x) => Math.log(x / first) / Math.log(last / first) : (x) => (x - first) / (last - first);
  const fits = (ticks) => ticks.every((x, i) => i === 0 || along(x) - along(ticks[i - 1]) >= room);
  const even = evenTicks(first, last, binary).find(fits) ?? [];
  if (!log) return even;
  const powers = powerTicks(first, last, binary).find(fits) ?? [];
  return powers.length >= 3 || powers.length >= even.length ? powers : even;
}

// Multiples of 1, 2 or 5 times a power of ten, or of a power of two; from the densest to two values.
function evenTicks(first, last, binary) {
  const steps = [];
  const around = Math.floor(binary ? Math.log2(last - first) : Math.log10(last - first));
  for (let k = around - (binary ? 6 : 2); k <= around + 1; ++k) {
    steps.push(...(binary ? [2 ** k] : [1, 2, 5].map((m) => (k < 0 ? m / 10 ** -k : m * 10 ** k))));
  }
  return steps.map((step) => {
    const ticks = [];
    for (let i = Math.ceil(first / step - 1e-9); i * step <= last * (1 + 1e-12); ++i) ticks.push(i * step);
    return ticks;
  });
}

// Powers of two or ten and what stands between them; every second, third, ... one of them where they are too many.
function powerTicks(first, last, binary) {
  const inside = (ticks) => ticks.filter((x) => x >= first * (1 - 1e-9) && x <= last * (1 + 1e-9));
  const [from, to] = [first, last].map((x) => Math.floor(binary ? Math.log2(x) : Math.log10(x)));
  const sets = [];
  const exponents = (stride) => Array.from({length: to - from + 1}, (_, i) => from + i).filter((k) => k % stride === 0);
  const power = (mantissa, k) => (binary ? 2 ** k : Number(`${mantissa}e${k}`));
  if (!binary) {
    for (const mantissas of kDecade) sets.push(exponents(1).flatMap((k) => mantissas.map((m) => power(m, k))));
  }
  for (let stride = binary ? 1 : 2; stride <= kMaxStride; ++stride) {
    sets.push(exponents(stride).map((k) => power(1, k)));
  }
  return sets.map(inside).filter((ticks) => ticks.length > 0);
}
