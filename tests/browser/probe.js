// Runs at the end of a report's page: uses it as a reader would and writes down what it finds, for
// report_browser_test.cpp. ticks.js of the page stands before it.

const found = {};
const byTestId = (id) => document.getElementById(id);
// Charts answer the pointer with the next frame.
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
// Panels follow the selection when the hand rests.
const settled = async () => {
  do await pause(); while (document.documentElement.dataset.busy);
};

const change = (id, value) => {
  const control = byTestId(id);
  if (control.type === 'checkbox') control.checked = value;
  else control.value = value;
  control.dispatchEvent(new Event('change', {bubbles: true}));
};

// Colours of a canvas: a drawn chart has several.
const coloursOf = (canvas) => {
  const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height});
  const context = copy.getContext('2d', {willReadFrequently: true});
  context.drawImage(canvas, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  return new Set(new Uint32Array(data.buffer)).size;
};

// dotOf() is asked when the chart has the size of its canvas: it follows a change of layout a frame later.
const pointerAt = (chart, type, dotOf) => {
  chart.resize();
  const {x, y} = dotOf();
  const box = chart.canvas.getBoundingClientRect();
  const at = {clientX: box.left + x, clientY: box.top + y, bubbles: true, view: window};
  chart.canvas.dispatchEvent(new MouseEvent(type, at));
};

// The place of a point of the cloud that no mark of the chart and no other point covers.
function loneliest(chart) {
  const {points} = JSON.parse(byTestId('data').textContent);
  const dots = points.id.map((_, i) => ({x: chart.scales.x.getPixelForValue(points[byTestId('scatter-x').value][i]),
    y: chart.scales.y.getPixelForValue(points[byTestId('scatter-y').value][i])}));
  const marks = chart.data.datasets.flatMap((_, i) => chart.getDatasetMeta(i).data);
  const room = (dot) => Math.min(...[...marks, ...dots].filter((other) => other.x !== dot.x || other.y !== dot.y)
    .map((other) => Math.hypot(dot.x - other.x, dot.y - other.y)));
  const marked = (dot) => marks.some((mark) => Math.hypot(mark.x - dot.x, mark.y - dot.y) < 1);
  return dots.filter((dot) => !marked(dot)).reduce((a, b) => (room(b) > room(a) ? b : a));
}

const tooltip = (chart) => ({
  visible: chart.tooltip.opacity > 0,
  title: chart.tooltip.title,
  lines: (chart.tooltip.body ?? []).flatMap((entry) => entry.lines),
});

const column = (table, i) => [...byTestId(table).tBodies[0].rows].map((row) => row.cells[i].textContent);

const setOf = (chart, label) => chart.data.datasets.find((set) => set.label === label);
const numbersOf = (chart) => chart.data.datasets.flatMap((set) => set.data);
const energySum = () => numbersOf(Chart.getChart('point-energy')).reduce((a, b) => a + b, 0);

// What is drawn for each front that can be chosen; of a proven point a circle, of others a square.
function fronts(chart) {
  const ids = (points) => points.map(({point}) => point.id);
  const entries = ['axes', 'all', 'none'].map((choice) => {
    change('scatter-front', choice);
    const [front, staircase] = ['front', 'staircase'].map((label) => setOf(chart(), label));
    const marks = front.data.map(({point}, i) =>
      front.pointStyle[i] === (point.lower_bound >= point.value ? 'circle' : 'rect'));
    return [choice, {ids: ids(front.data), staircase: ids(staircase.data), marked: marks.every(Boolean),
      note: byTestId('scatter-front-note').textContent, legend: byTestId('scatter-legend').textContent}];
  });
  change('scatter-front', 'axes');
  return Object.fromEntries(entries);
}

// The names beside the bars as they are written, and whole; both without the spaces at which lines are broken.
function namesWritten(id) {
  const {scales, data} = Chart.getChart(id);
  const joined = (lines) => [lines].flat().join('').replaceAll(/\s/g, '');
  return {written: scales.y.ticks.map(({label}) => joined(label)), whole: data.labels.map(joined)};
}

// The bars of each workload alone, and of all with one bar a workload.
function workloads() {
  const choices = [...byTestId('workload-choice').options].map(({value}) => value);
  const alone = choices.map((choice) => {
    change('workload-choice', choice);
    return {choice, layers: Chart.getChart('point-layers').data.labels, energy: energySum()};
  });
  change('workload-choice', choices[0]);
  change('layer-rows', 'workload');
  const {labels, datasets} = Chart.getChart('point-layers').data;
  const sums = labels.map((_, i) => datasets.reduce((sum, set) => sum + set.data[i], 0));
  change('layer-rows', 'layer');
  return {alone, labels, sums};
}

// Of every chart of a parameter: the kind of its axis and how far its values are apart.
const sensitivity = () => [...document.querySelectorAll('#sensitivity canvas')].map((canvas) => {
  const chart = Chart.getChart(canvas);
  const values = numbersOf(chart).flat();
  return {type: chart.scales.y.type, span: Math.max(...values) / Math.min(...values),
    ticks: chart.scales.y.ticks.map(({label}) => label)};
});

// The answer, the selection, the comparison, the other pictures.
async function second_edition() {
  const tick = (box, state) => {
    box.checked = state;
    box.dispatchEvent(new Event('change', {bubbles: true}));
  };
  const saved = [];
  const rememberBlob = URL.createObjectURL;
  const listed = () => Number(byTestId('points-note').textContent.replace(/ points.*/, '').replaceAll(/\D/g, ''));
  found.answer = {question: byTestId('answer-question').textContent, text: byTestId('answer-text').textContent,
    lead: byTestId('answer-lead').textContent, badge: byTestId('answer-badge').textContent,
    proof: byTestId('answer-proof').textContent};
  await settled();
  found.all_rows = {listed: listed(), made: byTestId('points-table').tBodies[0].rows.length};

  const [first] = document.querySelectorAll('#selection-filters input[type=checkbox]');
  tick(first, false);
  await settled();
  found.filtered = {listed: listed(), cloud: Number(byTestId('scatter').dataset.cloud),
    text: byTestId('selection-text').textContent,
    values: Chart.getChart(document.querySelector('#sensitivity canvas')).data.labels};
  URL.createObjectURL = (blob) => { saved.push(blob); return rememberBlob.call(URL, blob); };
  byTestId('save-csv').click();
  byTestId('save-json').click();
  URL.createObjectURL = rememberBlob;
  [found.csv, found.json] = await Promise.all(saved.map((blob) => blob.text()));
  tick(first, true);
  await settled();
  found.unfiltered = listed();

  found.scopes = [...byTestId('scope').options].map(({value}) => value);
  change('scope', 'workload:net');
  const energies = numbersOf(Chart.getChart('scatter')).map(({point}) => point.energy_pj);
  found.scope_text = byTestId('selection-text').textContent;
  found.scope_energy = Math.min(...energies);
  change('scope', 'all');
  await settled();

  byTestId('answer-compare').click();
  found.compared = {said: byTestId('compare-said').textContent,
    rows: [...byTestId('compare-table').tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
    bars: Chart.getChart('compare-energy').data.labels, nest: byTestId('compare-nest-a').textContent};
  const a = byTestId('compare-a').value;
  byTestId('compare-swap').click();
  found.swapped = byTestId('compare-b').value === a;

  found.parallel = {label: byTestId('parallel').getAttribute('aria-label'), colours: coloursOf(byTestId('parallel'))};
  const box = byTestId('parallel').getBoundingClientRect();
  const drag = (type, y) => byTestId('parallel').dispatchEvent(
    new PointerEvent(type, {clientX: box.left + 60, clientY: box.top + y, bubbles: true, pointerId: 1}));
  byTestId('parallel').setPointerCapture = () => {};
  drag('pointerdown', box.height - 20);
  drag('pointerup', box.height - 60);
  await settled();
  found.dragged = listed();
  drag('pointerdown', box.height - 60);
  drag('pointerup', box.height - 60);
  await settled();
  found.clicked = listed();

  byTestId('theme-choice').click();
  byTestId('theme-choice').click();
  found.dark_paper = getComputedStyle(document.body).backgroundColor;
  byTestId('theme-choice').click();
  found.contents = [...document.querySelectorAll('#contents a')].map(({hash}) => byTestId(hash.slice(1)) !== null);
  await pause();
}

async function probe() {
  await settled();
  const scatter = byTestId('scatter');
  const chart = () => Chart.getChart(scatter);
  const dataset = (label) => chart().data.datasets.findIndex((set) => set.label === label);
  const placeOf = (label, i) => chart().getDatasetMeta(dataset(label)).data[i];

  found.title = document.title;
  found.heading = byTestId('name').textContent;
  found.note = byTestId('scatter-note').textContent;
  found.paper = getComputedStyle(document.body).backgroundColor;
  found.scripts = document.scripts.length;
  found.resources = performance.getEntriesByType('resource').map((entry) => entry.name);
  found.overflow = document.documentElement.scrollWidth - innerWidth;
  found.canvases = Object.fromEntries([...document.querySelectorAll('.chart canvas')].map((canvas, i) =>
    [canvas.id || `canvas ${i}`, coloursOf(canvas)]));
  found.front = fronts(chart);
  found.drawn = Object.fromEntries(chart().data.datasets.map((set) => [set.label, set.data.length]));
  found.cloud = Number(scatter.dataset.cloud);
  found.outcomes = column('outcome-table', 0);

  pointerAt(chart(), 'mousemove', () => placeOf('best', 0));
  await pause();
  found.hover = tooltip(chart());

  pointerAt(chart(), 'click', () => placeOf('front', 0));
  await pause();
  found.chosen_front = {id: byTestId('point-choice').value, facts: byTestId('point-facts').textContent,
    charts: !byTestId('point-charts').hidden};
  pointerAt(chart(), 'click', () => loneliest(chart()));
  await pause();
  found.chosen_other = byTestId('point-choice').value;

  scatter.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home', bubbles: true}));
  scatter.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  found.said = byTestId('scatter-said').textContent;
  found.walk_tooltip = tooltip(chart());
  scatter.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
  found.chosen_by_key = byTestId('point-choice').value;
  found.energy_series = Chart.getChart('point-energy').data.datasets.map((set) => set.label);
  found.energy_labels = Chart.getChart('point-energy').data.labels;
  found.energy_sum = energySum();

  found.swatches = Object.fromEntries(['energy-legend', 'layer-legend'].map((id) =>
    [id, [...byTestId(id).querySelectorAll('canvas')].map((square) => square.toDataURL())]));
  found.layer_names = namesWritten('point-layers');
  found.workloads = workloads();
  found.nest = [...byTestId('mapping').children].map((line) => [line.textContent, line.style.marginLeft]);
  found.nest_layers = [...byTestId('mapping-layer').options].map((option) => option.textContent);

  change('layer-metric', 'distance');
  found.layer_distances = Chart.getChart('point-layers').data.datasets[0].data;
  for (const metric of ['delay', 'gap', 'utilization', 'energy']) change('layer-metric', metric);
  found.layer_labels = Chart.getChart('point-layers').data.labels;

  found.sensitivity = {both: sensitivity()};
  change('sensitivity-lines', 'best');
  found.sensitivity.best = sensitivity();

  change('scatter-cut', true);
  found.drawn_cut = chart().data.datasets[dataset('cut')].data.length;
  for (const option of byTestId('scatter-colour').options) change('scatter-colour', option.value);
  change('scatter-x', 'area_um2');
  change('scatter-y', 'value');
  change('scatter-log', false);
  found.axes = [chart().scales.x.type, chart().options.scales.x.title.text, chart().options.scales.y.title.text];

  const heading = [...byTestId('front-table').tHead.rows[0].cells].find((cell) => cell.textContent === 'Delay');
  heading.querySelector('button').click();
  found.sorted = heading.getAttribute('aria-sort');
  const ids = column('front-table', 0);
  const {points} = JSON.parse(byTestId('data').textContent);
  const delays = new Map(points.id.map((id, i) => [String(id), points.delay[i]]));
  found.delays = ids.map((id) => delays.get(id.replace(/\D/g, '')));

  await second_edition();

  dispatchEvent(new Event('beforeprint'));
  dispatchEvent(new Event('afterprint'));
  await pause();
  found.scatter_after_all = coloursOf(scatter);
}

const kKiB = 1024;
found.ticks = {
  decades: axisTicks([2e6, 3e11], 0.1, {log: true}),
  one_decade: axisTicks([2e9, 2e10], 0.1, {log: true}),
  narrow: axisTicks([2.9e9, 9.2e9], 0.1, {log: true}),
  within: axisTicks([4.1e9, 4.8e9], 0.15, {log: true}),
  binary: axisTicks([90 * kKiB, 1100 * kKiB], 0.1, {log: true, binary: true}),
  linear: axisTicks([5.6, 13.1], 0.1),
  linear_binary: axisTicks([100 * kKiB, 260 * kKiB], 0.1, {binary: true}),
};

probe().catch((error) => { found.error = String(error.stack ?? error); }).finally(() => {
  const note = document.createElement('script');
  note.type = 'application/json';
  note.id = 'probe';
  note.textContent = JSON.stringify(found).replaceAll('<', '\\u003c');
  document.body.append(note);
});
