// The selection: whose costs are shown (all, one workload, one layer), and which points.
//
// What shows points reads shown(). A change of the selection is seen with the next frame in the dots and the rows
// (onSelection); the panels that cost more (followSelection) are drawn when the hand rests, those in sight first, one at
// a time, so that the next change need not wait for them.

const kAll = 'all';
const kRest = 80;  // ms without a change after which the panels follow

const kSelection = {
  scope: kAll,
  choices: kData.parameters.map(() => null),  // [parameter]: Set of places that are kept; null: all
  ranges: new Map(),                          // metric: [least, largest]
  points: kPoints,
  kept: new Uint8Array(kPoints.length).fill(1),  // [place]: whether it is shown
  listeners: [],
  panels: [],        // {where, draw} of followSelection
  waiting: [],       // panels that are out of date
  timer: 0,
  known: new Map(),  // what was found out of the points shown, by name; forgotten when they change
};

// What `find` returns, found once for the points shown.
function ofShown(name, find) {
  if (!kSelection.known.has(name)) kSelection.known.set(name, find());
  return kSelection.known.get(name);
}

const shown = () => kSelection.points;
const isShown = (point) => kSelection.kept[point.place] === 1;
const isFiltered = () => kSelection.points.length < kPoints.length;
const onSelection = (listener) => kSelection.listeners.push(listener);

// `where`: an element of the panel. `redraw`: what new colours or paper need of it.
function followSelection(where, draw, redraw = draw) {
  const panel = {where, draw};
  kSelection.panels.push(panel);
  redraws.push(redraw);
  follow([panel]);
  return panel;
}

// [least, largest] of a metric of the points shown.
const shownRange = (metric) => ofShown(`range ${metric}`, () => rangeAmong(shown(), metric));

// The best points and the front of what is shown: of the whole sweep those that the program found.
function bestShown() {
  if (kSelection.scope === kAll && !isFiltered()) return kBest[0] ?? null;
  return ofShown('best', () => shown().reduce((best, point) => (best && best.value <= point.value ? best : point), null));
}

function frontShown() {
  if (kSelection.scope === kAll && !isFiltered()) return kFront;
  return ofShown('front', () => frontOfAll(shownByMetric('energy_pj')));
}

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

// The points get the costs of the scope: sums over its layers.
function setScope(scope) {
  kSelection.scope = scope;
  const layers = scope === kAll ? null : layersOf(scope);
  for (const key of ['energy_pj', 'delay', 'value', 'lower_bound']) {
    kColumns[key] = layers ? summedColumns(layers.map((l) => kData.parts[key][l])) : kWholeColumns[key];
  }
  const cycleOf = (i) => kWholeColumns.seconds[i] / kWholeColumns.delay[i];
  kColumns.seconds = kSweep.seconds ? kColumns.delay : kColumns.delay.map((x, i) => x * cycleOf(i));
  forgetOrders();
  kSelection.ranges.clear();
  fillRanges();
  select();
}

function summedColumns([first, ...others]) {
  const sums = Float64Array.from(first);
  for (const column of others) for (let i = 0; i < sums.length; ++i) sums[i] += column[i];
  return sums;
}

// Which points pass all filters, [place].
function keptPoints() {
  const kept = new Uint8Array(kPoints.length).fill(1);
  kSelection.choices.forEach((places, p) => {
    if (!places) return;
    const column = kColumns.choice[p];
    const keeps = kData.parameters[p].values.map((_, i) => places.has(i));
    for (let i = 0; i < kept.length; ++i) if (!keeps[column[i]]) kept[i] = 0;
  });
  for (const [metric, [low, high]] of kSelection.ranges) {
    const column = kColumns[metric];
    for (let i = 0; i < kept.length; ++i) if (column[i] < low || column[i] > high) kept[i] = 0;
  }
  return kept;
}

// Finds the points again and tells who shows them.
function select() {
  const all = kSelection.ranges.size === 0 && kSelection.choices.every((places) => !places);
  kSelection.kept = keptPoints();
  kSelection.points = all ? kPoints : kPoints.filter(isShown);
  kSelection.known.clear();
  byId('selection-text').textContent = selectionText();
  for (const listener of kSelection.listeners) listener();
  follow(kSelection.panels);
}

function selectionText() {
  const scope = scopes().find(([value]) => value === kSelection.scope)?.[1];
  const points = isFiltered() ? `${count(shown().length)} of ${pointsText(kPoints.length)}`
    : `all ${pointsText(kPoints.length)}`;
  return `${points}${kSelection.scope === kAll ? '' : `, costs of ${scope}`}`;
}

// Lets panels be drawn when the hand rests. As long as some wait, the page says that it is busy.
function follow(panels) {
  kSelection.waiting = [...new Set([...kSelection.waiting, ...panels])];
  document.documentElement.dataset.busy = 'yes';
  clearTimeout(kSelection.timer);
  kSelection.timer = setTimeout(drawNext, kRest);
}

// Draws the panel next to what is seen, and leaves the others to a next turn.
function drawNext() {
  const distance = ({where}) => {
    const {top, bottom} = where.getBoundingClientRect();
    return Math.max(0, top - innerHeight, -bottom);
  };
  const next = kSelection.waiting.reduce((a, b) => (distance(b) < distance(a) ? b : a), kSelection.waiting[0]);
  kSelection.waiting = kSelection.waiting.filter((panel) => panel !== next);
  next?.draw();
  if (kSelection.waiting.length > 0) kSelection.timer = setTimeout(drawNext, 0);
  else delete document.documentElement.dataset.busy;
}

// Draws all panels that wait.
function catchUp() {
  clearTimeout(kSelection.timer);
  for (const {draw} of kSelection.waiting.splice(0)) draw();
  delete document.documentElement.dataset.busy;
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
