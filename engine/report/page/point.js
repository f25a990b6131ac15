// One design point: its numbers, where its energy goes, its layers.

let chosen = null;  // a point of kPoints

// What the bars of the layers show.
const kLayerMetrics = {
  energy: {label: 'Energy', text: energyText},
  cycles: {label: 'Delay', text: cyclesText, of: (layer) => layer.cycles * runsOf(layer)},
  gap: {label: 'Gap: value over lower bound', text: percentText, of: gapOf},
  distance: {label: 'Words moved over the least possible', text: distanceText, of: distanceOf},
  utilization: {label: 'Utilization of the compute units', text: percentText, of: (layer) => layer.utilization},
};

// As the point's own numbers are summed.
const runsOf = (layer) => layer.count * layer.weight;

const layerTitle = (layer, several) => (several ? `${layer.workload}: ${layer.name}` : layer.name);

function layerTitles(layers) {
  const several = new Set(layers.map((layer) => layer.workload)).size > 1;
  return layers.map((layer) => layerTitle(layer, several));
}

function choosePoint(point) {
  chosen = point;
  const select = byId('point-choice');
  const missing = ![...select.options].some((option) => option.value === String(point.id));
  if (missing) select.append(element('option', {value: String(point.id)}, pointLabel(point)));
  select.value = String(point.id);
  showPoint();
}

function pointLabel(point) {
  const rank = kBest.indexOf(point) + 1;
  const kinds = [rank === 1 ? 'best' : rank > 1 ? `best ${rank}` : '', kFrontIds.has(point.id) ? 'front' : '']
    .filter((kind) => kind);
  const settings = settingsOf(point).map(([name, value]) => `${name} ${value}`).join(', ');
  return `${count(point.id)}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}${settings && `: ${settings}`}`;
}

function showPoint() {
  fillList(byId('point-facts'), [
    ...settingsOf(chosen),
    ...kAxisMetrics.filter((metric) => chosen[metric] > 0)
      .map((metric) => [kMetrics[metric].label, kMetrics[metric].text(chosen[metric])]),
    ...(gapText(chosen) ? [['Gap to the lower bound', gapText(chosen)]] : []),
    ...(chosen.least_words > 0
      ? [['Words moved over the least possible', distanceText(distanceOf(chosen))]] : []),
  ]);
  const detail = kDetails.get(chosen.id);
  byId('point-charts').hidden = byId('point-layers-details').hidden = !detail;
  byId('point-note').textContent = detail
    ? 'In the charts energies and delays of a layer are those of all its runs, times its workload\'s weight.'
    : 'The page holds layers of the best points and of the Pareto front only; those of this one are in the database.';
  for (const row of document.querySelectorAll('tr[data-id]')) {
    row.classList.toggle('chosen', row.dataset.id === String(chosen.id));
  }
  if (!detail) return;
  drawEnergy(detail);
  drawLayers(detail);
  fillLayerTable(detail);
}

// Bars: the parts of the machine, outermost first; within a bar the tensors, and what belongs to none of them.
function drawEnergy({parts}) {
  const series = [...new Set(parts.flatMap(({energy_pj: energies}) => Object.keys(energies)))];
  drawChart(byId('point-energy'), `Energy by level and tensor of point ${chosen.id}`, {
    type: 'bar',
    data: {
      labels: parts.map(({name}) => name),
      datasets: series.map((tensor, i) => ({
        label: tensor || 'of no tensor',
        data: parts.map(({energy_pj: energies}) => energies[tensor] ?? 0),
        backgroundColor: tensor ? seriesColour(i) : colour('c7'),
        maxBarThickness: 70,
      })),
    },
    options: {
      interaction: {mode: 'index'},
      plugins: {
        legend: legendStyle(),
        tooltip: {callbacks: {
          label: (item) => `${item.dataset.label} ${energyText(item.raw)}`,
          footer: (items) => `Sum ${energyText(items.reduce((sum, item) => sum + item.raw, 0))}`,
        }, filter: (item) => item.raw > 0},
      },
      scales: {x: categoryAxis({stacked: true}), y: numberAxis({text: energyText}, {stacked: true, zero: true})},
    },
  });
}

function layerDatasets({parts, layers}, metric) {
  if (metric !== 'energy') {
    const {label, of} = kLayerMetrics[metric];
    return [{label, data: layers.map(of), backgroundColor: colour('c0')}];
  }
  return parts.map(({name}, i) => ({
    label: name,
    data: layers.map((layer) => (layer.parts_pj[i] ?? 0) * runsOf(layer)),
    backgroundColor: seriesColour(i),
  }));
}

function drawLayers(detail) {
  const metric = byId('layer-metric').value;
  const {label, text} = kLayerMetrics[metric];
  const byPart = metric === 'energy';
  drawChart(byId('point-layers'), `${label} by layer of point ${chosen.id}`, {
    type: 'bar',
    data: {labels: layerTitles(detail.layers), datasets: layerDatasets(detail, metric)},
    options: {
      interaction: {mode: 'index'},
      plugins: {
        legend: byPart ? legendStyle() : {display: false},
        tooltip: {callbacks: {
          label: ({raw, dataset}) => `${dataset.label} ${Number.isFinite(raw) ? text(raw) : 'unknown'}`,
          footer: (items) => (byPart ? `Sum ${text(items.reduce((sum, item) => sum + item.raw, 0))}` : ''),
        }},
      },
      scales: {x: categoryAxis({stacked: byPart}), y: numberAxis({text}, {stacked: byPart, zero: true})},
    },
  });
}

function fillLayerTable({layers}) {
  const titles = layerTitles(layers);
  const titleOf = (layer) => titles[layers.indexOf(layer)];
  const number = (title, key, text) =>
    ({title, key, cell: (layer) => (Number.isFinite(key(layer)) ? text(key(layer)) : '')});
  fillTable(byId('layer-table'), [
    {title: 'Layer', text: 'text', key: titleOf, cell: titleOf},
    number('Runs', (layer) => layer.count, count),
    number('Energy of one', (layer) => layer.energy_pj, energyText),
    number('Delay of one', (layer) => layer.cycles, cyclesText),
    number('Utilization', (layer) => layer.utilization, percentText),
    number(kObjective.label, (layer) => layer.value, kObjective.text),
    number('Gap', gapOf, percentText),
    number('Words over least', distanceOf, distanceText),
    {title: 'Status', text: 'text', key: (layer) => layer.status, cell: (layer) => layer.status},
    number('Mappings priced', (layer) => layer.evaluated, count),
  ], layers);
}

function setUpPoint() {
  if (kPoints.length === 0) {
    byId('point-heading').parentElement.hidden = true;
    return;
  }
  const listed = [...new Set([...kBest, ...kFront])].filter((point) => kDetails.has(point.id));
  fillSelect(byId('point-choice'), listed.map((point) => [String(point.id), pointLabel(point)]));
  fillSelect(byId('layer-metric'), Object.entries(kLayerMetrics).map(([name, {label}]) => [name, label]));
  byId('point-choice').addEventListener('change', (event) => choosePoint(kPointOfId.get(Number(event.target.value))));
  byId('layer-metric').addEventListener('change', () => drawLayers(kDetails.get(chosen.id)));
  chosen = kBest[0];
  byId('point-choice').value = String(chosen.id);
  drawn(showPoint);
}
