// Points in order. All points of the page are sorted by a number once, as long as the costs shown are the same; those
// that the selection keeps are then a walk along that order, which takes some milliseconds of 100 000 points where
// sorting them anew takes a hundred.

const kOrders = new Map();  // by name: places of all points, Uint32Array; costs change: forgetOrders()

// The places of keys by size, of equal ones the first one first; what is no number comes last. Sorting plain numbers
// and looking up where each belongs is several times faster than sorting with a function that compares two.
function placesInOrder(keys) {
  const numbers = Float64Array.from(keys, (x) => (Number.isNaN(x) ? Infinity : x + 0));  // + 0: no -0
  const sorted = numbers.toSorted();
  const taken = new Uint32Array(sorted.length);  // [place of the first of equal ones]: how many of them are placed
  const places = new Uint32Array(sorted.length);
  numbers.forEach((x, place) => {
    const first = firstPlace(sorted.length, (i) => sorted[i] >= x);
    places[first + taken[first]++] = place;
  });
  return places;
}

// The first place of `places` for which something holds that holds for all behind it, too.
function firstPlace(places, holds) {
  let low = 0, high = places;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// `name` stands for the keys, [place], that `find` returns.
function orderOf(name, find) {
  if (!kOrders.has(name)) kOrders.set(name, placesInOrder(find()));
  return kOrders.get(name);
}

const forgetOrders = () => kOrders.clear();

// The points shown, those of the least key first or last.
function shownBy(name, find, ascending = true) {
  const order = orderOf(name, find);
  const {kept} = kSelection;
  const points = [];
  if (ascending) for (let i = 0; i < order.length; ++i) if (kept[order[i]]) points.push(kPoints[order[i]]);
  if (!ascending) for (let i = order.length; i-- > 0;) if (kept[order[i]]) points.push(kPoints[order[i]]);
  return points;
}

// The points shown, by a metric of kMetrics; found once.
const shownByMetric = (metric) => ofShown(`by ${metric}`, () => shownBy(metric, () => kColumns[metric]));
const byValue = () => shownByMetric('value');
