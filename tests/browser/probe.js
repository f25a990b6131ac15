// Runs at the end of a report's page: uses it as a reader would and writes down what it finds, for
// report_browser_test.cpp.

const found = {};
const byTestId = (id) => document.getElementById(id);
// Charts answer the pointer with the next frame.
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

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

// The dot of a dataset that no dot of another one covers.
function loneliest(chart, index) {
  const others = chart.data.datasets.flatMap((_, i) => (i === index ? [] : chart.getDatasetMeta(i).data));
  const room = (dot) => Math.min(...others.map((other) => Math.hypot(dot.x - other.x, dot.y - other.y)));
  return chart.getDatasetMeta(index).data.reduce((a, b) => (room(b) > room(a) ? b : a));
}

const tooltip = (chart) => ({
  visible: chart.tooltip.opacity > 0,
  title: chart.tooltip.title,
  lines: (chart.tooltip.body ?? []).flatMap((entry) => entry.lines),
});

const column = (table, i) => [...byTestId(table).tBodies[0].rows].map((row) => row.cells[i].textContent);

async function probe() {
  await pause();
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
  found.canvases = Object.fromEntries([...document.querySelectorAll('canvas')].map((canvas, i) =>
    [canvas.id || `canvas ${i}`, coloursOf(canvas)]));
  found.drawn = Object.fromEntries(chart().data.datasets.map((set) => [set.label, set.data.length]));
  found.outcomes = column('outcome-table', 0);

  pointerAt(chart(), 'mousemove', () => placeOf('best', 0));
  await pause();
  found.hover = tooltip(chart());

  pointerAt(chart(), 'click', () => placeOf('front', 0));
  await pause();
  found.chosen_front = {id: byTestId('point-choice').value, facts: byTestId('point-facts').textContent,
    charts: !byTestId('point-charts').hidden};
  pointerAt(chart(), 'click', () => loneliest(chart(), dataset('others')));
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
  found.energy_sum = Chart.getChart('point-energy').data.datasets.flatMap((set) => set.data).reduce((a, b) => a + b, 0);

  change('layer-metric', 'distance');
  found.layer_distances = Chart.getChart('point-layers').data.datasets[0].data;
  for (const metric of ['cycles', 'gap', 'utilization', 'energy']) change('layer-metric', metric);
  found.layer_labels = Chart.getChart('point-layers').data.labels;

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
  const delays = new Map(chart().data.datasets.flatMap((set) => set.data).map(({point}) => [String(point.id), point.cycles]));
  found.delays = ids.map((id) => delays.get(id.replace(/\D/g, '')));

  dispatchEvent(new Event('beforeprint'));
  dispatchEvent(new Event('afterprint'));
  await pause();
  found.scatter_after_all = coloursOf(scatter);
}

probe().catch((error) => { found.error = String(error.stack ?? error); }).finally(() => {
  const note = document.createElement('script');
  note.type = 'application/json';
  note.id = 'probe';
  note.textContent = JSON.stringify(found).replaceAll('<', '\\u003c');
  document.body.append(note);
});
