// The sweep's results as report_json.cpp wrote them, and what can be asked of a point.

const kData = JSON.parse(byId('data').textContent);
const kSweep = kData.sweep;
const delayText = kSweep.seconds ? secondsText : cyclesText;
const kObjective = objectiveForm(kSweep, delayText);

// The objective's value is a number of its own: a product of the point's energy and delay, a sum of such products over
// its layers, or a mean of networks.
const kIsProduct = kSweep.energy_power + kSweep.cycles_power > 1;
const kHasMean = kSweep.mean !== 'total';
const kHasValue = kIsProduct || kSweep.area_power > 0 || kSweep.per_operation || kHasMean;
const kAreaOnFront = kSweep.front.endsWith('area');

// Numbers of a point, in the form of objectiveForm().
const kMetrics = {
  energy_pj: {label: 'Energy', text: energyText},
  delay: {label: 'Delay', text: delayText},
  area_um2: {label: 'Area', text: areaText},
  value: {...kObjective, label: capital(valueWords(kSweep))},
  capacity_bytes: {label: 'Memory', text: bytesText, binary: true},
  compute_units: {label: 'Compute units', text: count},
};

const kCostMetrics = ['energy_pj', 'delay', ...(kHasValue ? ['value'] : []), 'area_um2'];

// Numbers of points stand in columns, [place of the point]: loops over 100 000 points read one column from end to end.
const kNumbers = ['energy_pj', 'delay', 'area_um2', 'value', 'lower_bound', 'words_moved', 'least_words', 'capacity_bytes',
  'compute_units', 'seconds'];

function pointColumnsOf(data) {
  const columns = Object.fromEntries(kNumbers.map((name) => [name, new Float64Array(data[name].map((x) => x ?? NaN))]));
  if (kSweep.seconds) columns.seconds = columns.delay;
  return {...columns, id: data.id, status: data.status, choice: data.choice.map((places) => new Int32Array(places.map((i) => i ?? -1)))};
}

// A point reads its numbers from the columns, which change with the costs that are shown.
class Point {
  constructor(columns, place) {
    this.columns = columns;
    this.place = place;
  }
  get id() { return this.columns.id[this.place]; }
  // What a sweep that certifies its front or its best point says of it: front, dominated, open, best; else "".
  get status() { return this.columns.status[this.place]; }
  // The place of its value among those of the parameter; -1: not known.
  choice(parameter) { return this.columns.choice[parameter][this.place]; }
}
for (const name of kNumbers) {
  Object.defineProperty(Point.prototype, name, {get() { return this.columns[name][this.place]; }});
}

const pointsOf = (columns) => columns.id.map((_, place) => new Point(columns, place));

const kColumns = pointColumnsOf(kData.points);
const kWholeColumns = {...kColumns};  // those of the whole sweep
const kPoints = pointsOf(kColumns);
const kCutPoints = pointsOf(pointColumnsOf(kData.cut_points));
const kPointOfId = new Map(kPoints.map((point) => [point.id, point]));
const kBest = kData.best.map((id) => kPointOfId.get(id));
const kFront = kData.front.map((id) => kPointOfId.get(id));
const kFrontIds = new Set(kData.front);
const kDetails = new Map(kData.details.map((detail) => [detail.id, detail]));

const kLayers = kData.layers;

// MACs of all runs of all layers; nothing where a layer's are unknown. Every point does the same work.
const kOperations = kLayers.reduce((sum, {operations}) => sum + (operations ?? NaN), kLayers.length > 0 ? 0 : NaN);
const kOperationsOfMac = 2;  // as TOPS are counted

// Rates of `operations` MACs for this energy in this time, as far as they are known.
function ratesOf(operations, energyPj, seconds) {
  const ops = kOperationsOfMac * operations;
  return {
    watts: seconds > 0 ? energyPj * 1e-12 / seconds : NaN,
    tops: seconds > 0 ? ops / seconds * 1e-12 : NaN,
    topsPerWatt: energyPj > 0 ? ops / energyPj : NaN,
  };
}

// [label, text] of the seconds, W, TOPS and TOPS/W of a point that are known.
function rateEntries(point, operations = kOperations) {
  const {watts, tops, topsPerWatt} = ratesOf(operations, point.energy_pj, point.seconds);
  return [
    ...(point.seconds > 0 && !kSweep.seconds ? [['Time', secondsText(point.seconds)]] : []),
    ...(watts > 0 ? [['Power', wattsText(watts)]] : []),
    ...(tops > 0 ? [['Throughput', `${digits(tops)} TOPS`]] : []),
    ...(topsPerWatt > 0 ? [['Efficiency', `${digits(topsPerWatt)} TOPS/W`]] : []),
  ];
}

// value / lower bound - 1, nothing where no bound is known.
const gapOf = (row) => (row.lower_bound > 0 ? row.value / row.lower_bound - 1 : NaN);
const gapText = (row) => (Number.isFinite(gapOf(row)) ? percentText(gapOf(row)) : '');

// Words between the outermost level and those inside, over the least that any mapping moves; nothing where unknown.
const distanceOf = (row) => (row.least_words > 0 ? row.words_moved / row.least_words : NaN);
const distanceText = (distance) => `${distance.toFixed(2)} ×`;

// The parameters of a point, [name, value as written].
const settingsOf = (point) => kData.parameters.map(({name, values}, p) => [name, values[point.choice(p)] ?? '?']);

// [least, largest] of a metric.
function rangeAmong(points, metric) {
  let low = Infinity, high = -Infinity;
  for (const {columns, place} of points) {
    const x = columns[metric][place];
    if (x < low) low = x;
    if (x > high && x < Infinity) high = x;
  }
  return [low, high];
}

const kStatusTexts = {front: 'on the front, certain', dominated: 'beaten, certain', open: 'open', best: 'the best, certain'};
const statusText = (point) => kStatusTexts[point.status] ?? '';
const kHasStatus = kPoints.some(({status}) => status !== '');

// Machines that nobody has looked at yet.
const kLeft = kData.decided.progress === 'finished' ? 0 : Math.max(0, kSweep.shard_points - kData.decided.machines);
const kOutside = kData.outcomes.filter(({reason}) => reason === 'outside the limits')
  .reduce((sum, {points}) => sum + points, 0);

const pointTitle = (point) => `Point ${count(point.id)}`;

// Whether a metric tells points apart; an area that nobody knows is 0 everywhere.
function varies(metric) {
  return kPoints.some((point) => point[metric] !== kPoints[0][metric]);
}
