// The selection: whose costs are shown (all, one workload, one layer), and which points. What draws points reads
// shown() and is told by onSelection() when it changes.

const kAll = 'all';
const kFewValues = 12;     // of a parameter: as boxes to tick; more of them as a first and a last one
const kSliderSteps = 1000;

const kSelection = {
  scope: kAll,
  choices: kData.parameters.map(() => null),  // [parameter]: Set of places that are kept; null: all
  ranges: new Map(),                          // metric: [least, largest]
  points: kPoints,
  listeners: [],
  known: new Map(),  // what was found out of the points shown, by name; forgotten when they change
};

// What `find` returns, found once for the points shown.
function ofShown(name, find) {
  if (!kSelection.known.has(name)) kSelection.known.set(name, find());
  return kSelection.known.get(name);
}

const shown = () => kSelection.points;
const isFiltered = () => kSelection.points.length < kPoints.length;
const onSelection = (listener) => kSelection.listeners.push(listener);

// The point of least value among those shown.
const leastOf = (points) => points.reduce((best, point) => (best && best.value <= point.value ? best : point), null);

// The best points and the front of what is shown: of the whole sweep those that the program found.
function bestShown() {
  if (kSelection.scope === kAll && !isFiltered()) return kBest[0] ?? null;
  return ofShown('best', () => leastOf(shown()));
}

function frontShown() {
  if (kSelection.scope === kAll && !isFiltered()) return kFront;
  return ofShown('front', () => frontOfThree(shown()));
}

// The points shown, least value first.
const byValue = () => ofShown('by value', () => shown().toSorted((a, b) => a.value - b.value));

// [value, text] of the scopes that the page has numbers for.
function scopes() {
  const workloads = [...new Set(kLayers.map(({workload}) => workload))];
  if (!kData.parts) return [[kAll, 'all layers']];
  return [
    [kAll, 'all layers'],
    ...(workloads.length > 1 ? workloads.map((name) => [`workload:${name}`, `workload ${name}`]) : []),
    ...kLayers.map(({workload, name}, l) => [`layer:${l}`, workloads.length > 1 ? `${workload}: ${name}` : name]),
  ];
}

function layersOf(scope) {
  const all = kLayers.map((_, l) => l);
  if (scope.startsWith('layer:')) return [Number(scope.slice('layer:'.length))];
  return all.filter((l) => `workload:${kLayers[l].workload}` === scope);
}

const scopeOperations = () => (kSelection.scope === kAll ? kOperations
  : layersOf(kSelection.scope).reduce((sum, l) => sum + (kLayers[l].operations ?? NaN), 0));

// Every point carries the costs of the scope: sums over its layers.
function setScope(scope) {
  kSelection.scope = scope;
  const layers = scope === kAll ? null : layersOf(scope);
  const ofSweep = kData.points;
  for (const point of kPoints) {
    for (const key of ['energy_pj', 'delay', 'value', 'lower_bound']) {
      point[key] = layers ? layers.reduce((sum, l) => sum + kData.parts[key][l][point.place], 0)
        : ofSweep[key][point.place];
    }
    const ratio = layers ? point.delay / ofSweep.delay[point.place] : 1;
    point.seconds = kSweep.seconds ? point.delay : ofSweep.seconds[point.place] * ratio;
  }
  kSelection.ranges.clear();
  fillRanges();
  select();
}

function passes(point) {
  for (let p = 0; p < kSelection.choices.length; ++p) {
    const kept = kSelection.choices[p];
    if (kept && !kept.has(point.choice[p])) return false;
  }
  for (const [metric, [low, high]] of kSelection.ranges) {
    if (point[metric] < low || point[metric] > high) return false;
  }
  return true;
}

// Finds the points again and tells who shows them.
function select() {
  const all = kSelection.ranges.size === 0 && kSelection.choices.every((kept) => !kept);
  kSelection.points = all ? kPoints : kPoints.filter(passes);
  kSelection.known.clear();
  byId('selection-text').textContent = selectionText();
  for (const listener of kSelection.listeners) listener();
}

function selectionText() {
  const scope = scopes().find(([value]) => value === kSelection.scope)?.[1];
  const points = isFiltered() ? `${count(shown().length)} of ${count(kPoints.length)} points`
    : `all ${count(kPoints.length)} points`;
  return `${points}${kSelection.scope === kAll ? '' : `, costs of ${scope}`}`;
}

function setChoices(parameter, places) {
  const {values} = kData.parameters[parameter];
  kSelection.choices[parameter] = places.size === values.length ? null : places;
}

// Boxes to tick for a parameter of few values, else the first and the last one.
function parameterFilter({name, values}, p) {
  const group = element('fieldset', {}, element('legend', {}, name));
  if (values.length <= kFewValues) {
    const boxes = values.map((value) => {
      const box = element('input', {type: 'checkbox', checked: true});
      group.append(element('label', {}, box, ` ${value}`));
      return box;
    });
    const read = () => {
      setChoices(p, new Set(boxes.flatMap((box, i) => (box.checked ? [i] : []))));
      select();
    };
    for (const box of boxes) box.addEventListener('change', read);
    group.show = () => boxes.forEach((box, i) => { box.checked = kSelection.choices[p]?.has(i) ?? true; });
    return group;
  }
  const ends = ['from', 'to'].map((word) => {
    const choice = element('select', {});
    fillSelect(choice, values.map((value, i) => [String(i), value]));
    group.append(element('label', {}, `${word} `, choice));
    return choice;
  });
  const read = () => {
    const [first, last] = ends.map(({value}) => Number(value)).toSorted((a, b) => a - b);
    setChoices(p, new Set(values.flatMap((_, i) => (i >= first && i <= last ? [i] : []))));
    select();
  };
  for (const end of ends) end.addEventListener('change', read);
  group.show = () => {
    const kept = [...(kSelection.choices[p] ?? [0, values.length - 1])];
    ends[0].value = String(Math.min(...kept));
    ends[1].value = String(Math.max(...kept));
  };
  group.show();
  return group;
}

// The ends of a metric over all points of the page, found once for each scope.
const kWholeRanges = {scope: '', of: new Map()};
function wholeRange(metric) {
  if (kWholeRanges.scope !== kSelection.scope) Object.assign(kWholeRanges, {scope: kSelection.scope, of: new Map()});
  if (!kWholeRanges.of.has(metric)) kWholeRanges.of.set(metric, extent(kPoints.map((point) => point[metric])));
  return kWholeRanges.of.get(metric);
}

// Two sliders for the least and the largest number of a metric, along a logarithm where the numbers are wide apart.
function rangeFilter(metric) {
  const {label, text} = kMetrics[metric];
  const group = element('fieldset', {}, element('legend', {}, label));
  let range = [0, 1];
  const log = () => range[0] > 0 && range[1] > 3 * range[0];
  const numberAt = (step) => {
    const along = step / kSliderSteps;
    return log() ? range[0] * (range[1] / range[0]) ** along : range[0] + (range[1] - range[0]) * along;
  };
  const stepOf = (x) => Math.round(kSliderSteps * (log() ? Math.log(x / range[0]) / Math.log(range[1] / range[0])
    : (x - range[0]) / (range[1] - range[0])));
  const sliders = ['at least', 'at most'].map((word, i) => {
    const slider = element('input', {type: 'range', min: 0, max: kSliderSteps, step: 1, value: i * kSliderSteps,
      ariaLabel: `${label} ${word}`});
    const said = element('output', {});
    group.append(element('label', {}, `${word} `, slider, ' ', said));
    return {slider, said};
  });
  const say = () => sliders.forEach(({slider, said}) => { said.textContent = text(numberAt(Number(slider.value))); });
  const read = () => {
    say();
    const [low, high] = sliders.map(({slider}) => Number(slider.value));
    if (low <= 0 && high >= kSliderSteps) kSelection.ranges.delete(metric);
    else kSelection.ranges.set(metric, [low <= 0 ? -Infinity : numberAt(low),
      high >= kSliderSteps ? Infinity : numberAt(high)]);
    soon(select);
  };
  for (const {slider} of sliders) slider.addEventListener('input', read);
  group.show = () => {
    range = wholeRange(metric);
    const [low, high] = kSelection.ranges.get(metric) ?? [-Infinity, Infinity];
    sliders[0].slider.value = low === -Infinity ? 0 : stepOf(low);
    sliders[1].slider.value = high === Infinity ? kSliderSteps : stepOf(high);
    say();
  };
  group.show();
  return group;
}

// Does `work` once with the next frame, however often it is asked for until then.
const kSoon = new Set();
function soon(work) {
  if (kSoon.has(work)) return;
  kSoon.add(work);
  requestAnimationFrame(() => {
    kSoon.delete(work);
    work();
  });
}

const fillRanges = () => [...byId('selection-filters').children].forEach((group) => group.show());

function resetSelection() {
  kSelection.choices.fill(null);
  kSelection.ranges.clear();
  fillRanges();
  select();
}

// The numbers of the points shown, one object a point.
function selectionRows() {
  return shown().map((point) => {
    const {watts, tops, topsPerWatt} = ratesOf(scopeOperations(), point.energy_pj, point.seconds);
    const known = (x) => (Number.isFinite(x) ? x : null);
    return {
      point: point.id,
      ...Object.fromEntries(settingsOf(point)),
      energy_pj: point.energy_pj,
      [kSweep.seconds ? 'delay_s' : 'cycles']: point.delay,
      seconds: known(point.seconds ?? NaN),
      watts: known(watts), tops: known(tops), tops_per_watt: known(topsPerWatt),
      area_um2: point.area_um2,
      memory_bytes: point.capacity_bytes,
      compute_units: point.compute_units,
      value: point.value,
      lower_bound: point.lower_bound > 0 ? point.lower_bound : null,
      gap: known(gapOf(point)),
    };
  });
}

function csvText(rows) {
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cell = (x) => (x === null ? '' : quoted(String(x)));
  const keys = rows.length > 0 ? Object.keys(rows[0]) : [];
  return [keys, ...rows.map((row) => Object.values(row))].map((line) => line.map(cell).join(',')).join('\r\n') + '\r\n';
}

const jsonText = (rows) => JSON.stringify({sweep: kSweep.name, question: kSweep.question, program: kData.program,
  objective: kSweep.objective, value_unit: kSweep.value_unit, costs_of: kSelection.scope, points: rows}, null, 1);

function save(text, type, ending) {
  const href = URL.createObjectURL(new Blob([text], {type}));
  const link = element('a', {href, download: `${kSweep.name}.${ending}`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function setUpSelection() {
  byId('selection').hidden = kPoints.length === 0;
  const all = scopes();
  fillSelect(byId('scope'), all, kAll);
  byId('scope-label').hidden = all.length === 1;
  byId('scope').addEventListener('change', ({target}) => setScope(target.value));
  const telling = kData.parameters.map((parameter, p) => [parameter, p]).filter(([{values}]) => values.length > 1);
  byId('selection-filters').replaceChildren(
    ...telling.map(([parameter, p]) => parameterFilter(parameter, p)),
    ...[...kCostMetrics, 'capacity_bytes', 'compute_units'].filter(varies).map(rangeFilter));
  byId('selection-reset').addEventListener('click', resetSelection);
  byId('save-csv').addEventListener('click', () => save(csvText(selectionRows()), 'text/csv', 'csv'));
  byId('save-json').addEventListener('click', () => save(jsonText(selectionRows()), 'application/json', 'json'));
  byId('selection-text').textContent = selectionText();
}
