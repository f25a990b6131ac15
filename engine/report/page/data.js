// The sweep's results as report_json.cpp wrote them, and what can be asked of a point.

const kData = JSON.parse(byId('data').textContent);
const kSweep = kData.sweep;
const delayText = kSweep.seconds ? secondsText : cyclesText;
const kObjective = objectiveForm(kSweep, delayText);

// The objective's value is a number of its own: a product of the point's energy and delay, or a sum of such products over
// its layers.
const kIsProduct = kSweep.energy_power + kSweep.cycles_power > 1;
const kHasValue = kIsProduct || kSweep.area_power > 0 || kSweep.per_operation;

// Numbers of a point, in the form of objectiveForm().
const kMetrics = {
  energy_pj: {label: 'Energy', text: energyText},
  delay: {label: 'Delay', text: delayText},
  area_um2: {label: 'Area', text: areaText},
  value: {...kObjective, label: kIsProduct ? rankLabel(kSweep, kObjective.label) : kObjective.label},
  capacity_bytes: {label: 'Memory', text: bytesText, binary: true},
  compute_units: {label: 'Compute units', text: count},
};

const kCostMetrics = ['energy_pj', 'delay', ...(kHasValue ? ['value'] : []), 'area_um2'];

// Columns as the file has them to one object a point.
function pointRows(columns) {
  return columns.id.map((id, i) => ({
    id,
    ...Object.fromEntries(Object.keys(kMetrics).map((metric) => [metric, columns[metric][i]])),
    lower_bound: columns.lower_bound[i],
    words_moved: columns.words_moved[i],
    least_words: columns.least_words[i],
    choice: columns.choice.map((choices) => choices[i]),
  }));
}

const kPoints = pointRows(kData.points);
const kCutPoints = pointRows(kData.cut_points);
const kPointOfId = new Map(kPoints.map((point) => [point.id, point]));
const kBest = kData.best.map((id) => kPointOfId.get(id));
const kFront = kData.front.map((id) => kPointOfId.get(id));
const kFrontIds = new Set(kData.front);
const kDetails = new Map(kData.details.map((detail) => [detail.id, detail]));

// value / lower bound - 1, nothing where no bound is known.
const gapOf = (row) => (row.lower_bound > 0 ? row.value / row.lower_bound - 1 : NaN);
const gapText = (row) => (Number.isFinite(gapOf(row)) ? percentText(gapOf(row)) : '');

// Words between the outermost level and those inside, over the least that any mapping moves; nothing where unknown.
const distanceOf = (row) => (row.least_words > 0 ? row.words_moved / row.least_words : NaN);
const distanceText = (distance) => `${distance.toFixed(2)} ×`;

// The parameters of a point, [name, value as written].
const settingsOf = (point) => kData.parameters.map(({name, values}, p) => [name, values[point.choice[p]] ?? '?']);

const pointTitle = (point) => `Point ${count(point.id)}`;

// Whether a metric tells points apart; an area that nobody knows is 0 everywhere.
function varies(metric) {
  return kPoints.some((point) => point[metric] !== kPoints[0][metric]);
}
