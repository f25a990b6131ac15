// Fronts among the points of the page, and how far their points are proven.

const kProvenGap = 1e-9;  // what rounding makes of no gap

const isProven = (point) => gapOf(point) <= kProvenGap;

// Points that no drawn one beats in both numbers, by the first of them: the corners of a staircase, and their equals.
function frontOfTwo(x, y) {
  const sorted = kPoints.toSorted((a, b) => a[x] - b[x] || a[y] - b[y]);
  let last = null;
  return sorted.filter((point) => {
    const equal = last && point[x] === last[x] && point[y] === last[y];
    if (last && !equal && point[y] >= last[y]) return false;
    last = point;
    return true;
  });
}

// What is certain of points and what is not, in a sentence.
function provenText(points) {
  const what = kMetrics.value.label;
  const unproven = points.filter((point) => !isProven(point));
  const they = points.length === 1 ? 'It is' : 'All of them are';
  if (unproven.length === 0) return `${they} proven: no mapping has a smaller ${what}.`;
  const gaps = unproven.map(gapOf).filter(Number.isFinite);
  const some = points.length === 1 ? 'It is not proven' : unproven.length === points.length ? 'None of them is proven'
    : `${count(unproven.length)} of its ${count(points.length)} points are not proven`;
  const far = gaps.length > 0
    ? `: the ${what} found is up to ${percentText(Math.max(...gaps))} above its lower bound` : '';
  const unknown = unproven.length - gaps.length;
  const blind = unknown > 0 ? `; of ${unknown === unproven.length ? 'these' : count(unknown)} no bound is known` : '';
  return `${some}${far}${blind}. With better mappings the front may move.`;
}

// Short, for a legend or a key figure.
function unprovenText(points) {
  const gaps = points.filter((point) => !isProven(point)).map(gapOf);
  if (gaps.length === 0) return 'all proven';
  const known = gaps.filter(Number.isFinite);
  return `${count(gaps.length)} not proven${known.length > 0 ? `, gap up to ${percentText(Math.max(...known))}` : ''}`;
}
