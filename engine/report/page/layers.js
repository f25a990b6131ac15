// The layers of a design point, or its workloads: bars of what they cost and how far that is from the least possible.

const kCompute = 'compute';    // the part of the machine that is no level
const kMostBesideOther = 9;  // bars; more of them get the whole width of the page

const kLayerMetrics = {
  energy: {label: 'Energy', text: energyText},
  delay: {label: 'Delay', text: delayText, of: (row) => row.delay},
  gap: {label: 'Gap: value over lower bound', text: percentText, of: gapOf},
  distance: {label: 'Words moved over the least possible', text: distanceText, of: distanceOf},
  utilization: {label: 'Utilization of the compute units', text: percentText, of: (row) => row.utilization},
};

// Costs of all runs, times the weight of the workload: as the point's own numbers are summed.
function layerRow(layer, several) {
  const runs = layer.count * layer.weight;
  const times = (key) => layer[key] * runs;
  return {
    name: several ? `${layer.workload}: ${layer.name}` : layer.name,
    workload: layer.workload,
    delay: times('delay'),
    value: times('value'),
    lower_bound: times('lower_bound'),
    words_moved: times('words_moved'),
    least_words: times('least_words'),
    utilization: layer.utilization,
    parts_pj: layer.parts_pj.map((pj) => pj * runs),
  };
}

// The sum of a workload's layers. What is known of some of them only is not known of the workload; units are in use as
// long as layers take.
function workloadRow(name, rows) {
  const sum = (of) => rows.reduce((total, row) => total + of(row), 0);
  const known = (key, of) => (rows.every((row) => row[key] > 0) ? sum(of) : 0);
  return {
    name,
    workload: name,
    delay: sum((row) => row.delay),
    value: sum((row) => row.value),
    lower_bound: known('lower_bound', (row) => row.lower_bound),
    words_moved: sum((row) => row.words_moved),
    least_words: known('least_words', (row) => row.least_words),
    utilization: sum((row) => row.utilization * row.delay) / sum((row) => row.delay),
    parts_pj: rows[0].parts_pj.map((_, i) => sum((row) => row.parts_pj[i] ?? 0)),
  };
}

const workloadsOf = ({workloads}) => workloads.map(({name}) => name);

function layerRows(detail, asked) {
  const several = workloadsOf(detail).filter(asked).length > 1;
  const rows = detail.layers.filter(({workload}) => asked(workload)).map((layer) => layerRow(layer, several));
  if (byId('layer-rows').value !== 'workload') return rows;
  return workloadsOf(detail).filter(asked)
    .map((name) => workloadRow(name, rows.filter(({workload}) => workload === name)));
}

// Levels from dark to light, the compute units as what belongs to no tensor in the other chart.
function partFill(parts, i) {
  const levels = parts.filter((name) => name !== kCompute);
  return parts[i] === kCompute ? colour('none') : orderedFill(i, levels.length);
}

function drawLayers(detail, asked) {
  const metric = byId('layer-metric').value;
  const {label, text, of} = kLayerMetrics[metric];
  const byPart = metric === 'energy';
  const rows = layerRows(detail, asked);
  const datasets = byPart
    ? detail.parts.map((name, i) => ({
      label: name,
      data: rows.map((row) => row.parts_pj[i] ?? 0),
      backgroundColor: partFill(detail.parts, i),
    }))
    : [{label, data: rows.map(of), backgroundColor: colour('accent')}];
  byId('point-charts').classList.toggle('columns', rows.length <= kMostBesideOther);
  drawBars(byId('point-layers'), `${label} by ${byId('layer-rows').value} of point ${detail.id}`,
    {labels: rows.map(({name}) => name), datasets, text, stacked: byPart});
  byId('layer-legend').replaceChildren(...(byPart
    ? detail.parts.map((name, i) => legendEntry(name, {mark: swatch(partFill(detail.parts, i))})) : []));
}

function fillLayerTable({layers}, asked) {
  const shown = layers.filter(({workload}) => asked(workload));
  const several = new Set(shown.map(({workload}) => workload)).size > 1;
  const words = (title, key) => ({title, text: 'text', key: (layer) => layer[key], cell: (layer) => layer[key]});
  const number = (title, key, text) =>
    ({title, key, cell: (layer) => (Number.isFinite(key(layer)) ? text(key(layer)) : '')});
  fillTable(byId('layer-table'), [
    ...(several ? [words('Workload', 'workload')] : []),
    words('Layer', 'name'),
    number('Runs', (layer) => layer.count, count),
    number('Energy of one', (layer) => layer.energy_pj, energyText),
    number('Delay of one', (layer) => layer.delay, delayText),
    number('Utilization', (layer) => layer.utilization, percentText),
    number(kObjective.label, (layer) => layer.value, kObjective.text),
    number('Gap', gapOf, percentText),
    number('Words over least', distanceOf, distanceText),
    words('Status', 'status'),
    number('Mappings priced', (layer) => layer.evaluated, count),
  ], shown);
}
