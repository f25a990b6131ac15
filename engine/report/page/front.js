// Fronts among the points of the page, and how far their points are proven.

// What the sweep found out about the sum of all layers says nothing of a part of them.
const isCertain = ({status}) => kSelection.scope === kAll && (status === 'front' || status === 'best');
const isProven = (point) => isCertain(point) || gapOf(point) <= kRounding;

// Points shown that no other one beats in both numbers, by the first of them: the corners of a staircase, and their
// equals.
const frontOfTwo = (x, y) => ofShown(`front ${x} ${y}`, () => {
  // Only points of least y for their x: these are few where many points are shown.
  const sorted = lowestOfShown(x, y).toSorted((a, b) => a[x] - b[x] || a[y] - b[y]);
  let last = null;
  return sorted.filter((point) => {
    const equal = last && point[x] === last[x] && point[y] === last[y];
    if (last && !equal && point[y] >= last[y]) return false;
    last = point;
    return true;
  });
});

const kStrips = 256;

// A part of the points that holds their front: those that the least y of the strips of x before theirs does not beat.
function lowestOfShown(x, y) {
  const points = shown();
  const [low, high] = shownRange(x);
  if (!(high > low)) return points;
  const strip = (point) => Math.min(kStrips - 1, Math.floor((point[x] - low) / (high - low) * kStrips));
  const least = new Float64Array(kStrips + 1).fill(Infinity);
  for (const point of points) {
    const next = strip(point) + 1;
    if (point[y] < least[next]) least[next] = point[y];
  }
  for (let i = 1; i <= kStrips; ++i) least[i] = Math.min(least[i], least[i - 1]);
  return points.filter((point) => point[y] < least[strip(point)]);
}

// Points that no other one beats in what the sweep's front is of, energy, delay and mostly area; of equal ones the first.
// `points`: by energy.
function frontOfAll(points) {
  const area = (point) => (kAreaOnFront ? point.area_um2 : 0);
  const front = [];
  const corners = [];  // of those so far, which have no more energy: by delay, less and less area
  const add = (point) => {
    const last = firstPlace(corners.length, (i) => corners[i].delay > point.delay);
    if (last > 0 && area(corners[last - 1]) <= area(point)) return;
    let first = last;
    while (first > 0 && corners[first - 1].delay === point.delay) --first;
    let end = last;
    while (end < corners.length && area(corners[end]) >= area(point)) ++end;
    corners.splice(first, end - first, point);
    front.push(point);
  };
  // Those of one energy are not in order yet.
  for (let i = 0, end = 0; i < points.length; i = end) {
    while (end < points.length && points[end].energy_pj === points[i].energy_pj) ++end;
    points.slice(i, end).toSorted((a, b) => a.delay - b.delay || area(a) - area(b)).forEach(add);
  }
  return front;
}

// What is certain of points and what is not, in a sentence.
function provenText(points) {
  const what = valueWords(kSweep);
  const unproven = points.filter((point) => !isProven(point));
  const they = points.length === 1 ? 'It is' : 'All of them are';
  if (unproven.length === 0 && points.every(isCertain)) {
    return `${they} certain: every other point${kLeft > 0 ? ' that was looked at' : ''} is proven to be beaten.`;
  }
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

// Which machines the sweep's front is among, if not all.
function amongText() {
  if (kLeft > 0) return 'among the machines decided so far';
  return kSweep.goal === 'best' ? 'among the machines mapped: the goal best leaves out others that may be on it' : '';
}

// Short, for a legend or a key figure.
function unprovenText(points) {
  const gaps = points.filter((point) => !isProven(point)).map(gapOf);
  if (gaps.length === 0) return 'all proven';
  const known = gaps.filter(Number.isFinite);
  return `${count(gaps.length)} not proven${known.length > 0 ? `, gap up to ${percentText(Math.max(...known))}` : ''}`;
}
