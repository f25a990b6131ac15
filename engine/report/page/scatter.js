// The trade-offs: every point of the page by two of its numbers, coloured by a third or by a parameter.

const kScatter = {chart: null, walk: -1, cut: []};
const kAxisMetrics = [...kCostMetrics, 'capacity_bytes', 'compute_units'];
const kLeastLogSpan = 3;  // below, a logarithmic axis would look like a linear one with worse labels
const kManyFront = 400;  // from here on the dots of the front are drawn smaller
const kMaxSwatches = 8;
const kMaxSettingsShown = 24;

const scatterX = () => byId('scatter-x').value;
const scatterY = () => byId('scatter-y').value;

// How points are coloured: of(point), and the legend's entries.
function scatterColours() {
  const choice = byId('scatter-colour').value;
  const parameter = choice.startsWith('parameter:') ? Number(choice.slice('parameter:'.length)) : -1;
  if (parameter < 0) return metricColours(choice);
  const {name, values} = kData.parameters[parameter];
  const many = values.length > kMaxSwatches;
  const of = (i) => (many ? scaleColour(i / (values.length - 1)) : seriesColour(i));
  return {
    of: (point) => of(point.choice[parameter]),
    legend: many ? scaleLegend(name, values[0], values.at(-1))
      : values.map((value, i) => legendEntry(`${name} = ${value}`, {style: `background: ${of(i)}`})),
  };
}

function rangeOf(metric) {
  return kPoints.reduce(([low, high], {[metric]: x}) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);
}

function isWide(metric) {
  const [low, high] = rangeOf(metric);
  return low > 0 && high >= kLeastLogSpan * low;
}

function metricColours(metric) {
  const {label, text} = kMetrics[metric];
  const [low, high] = rangeOf(metric);
  const log = low > 0 && high > 20 * low;
  const along = (x) => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
  const fraction = (x) => (high === low ? 0.5 : along(x));
  return {of: (point) => scaleColour(fraction(point[metric])), legend: scaleLegend(label, text(low), text(high))};
}

function legendEntry(text, properties) {
  const sign = element('i', {ariaHidden: true});
  if (properties.style) sign.style.cssText = properties.style;
  sign.className = properties.className ?? '';
  sign.textContent = properties.sign ?? '';
  return element('span', {}, sign, text);
}

function scaleLegend(label, low, high) {
  const bar = element('i', {className: 'bar', ariaHidden: true});
  bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(scaleColour).join(', ')})`;
  return [element('span', {}, `${label} ${low}`, bar, high)];
}

// The points of the front that no other beats in the two numbers shown, as the corners of a staircase.
function staircase(x, y) {
  const sorted = kFront.toSorted((a, b) => a[x] - b[x] || a[y] - b[y]);
  let low = Infinity;
  return sorted.filter((point) => point[y] < low && ((low = point[y]), true));
}

function scatterDatasets(colours) {
  const x = scatterX(), y = scatterY();
  const at = (points) => points.map((point) => ({x: point[x], y: point[y], point}));
  const dots = (label, points, style) => ({
    label,
    data: at(points),
    pointBackgroundColor: points.map(colours.of),
    pointHitRadius: 4,
    pointHoverBorderColor: colour('ink'),
    pointHoverBorderWidth: 2,
    ...style,
  });
  const best = kBest.slice(0, 1);
  const front = kFront.filter((point) => point !== best[0]);
  const others = kPoints.filter((point) => point !== best[0] && !kFrontIds.has(point.id));
  const frontSize = front.length > kManyFront ? {pointRadius: 3.5, pointBorderWidth: 0.75}
    : {pointRadius: 5.5, pointBorderWidth: 1.5};
  return [
    dots('best', best, {pointStyle: 'rectRot', pointRadius: 9, pointHoverRadius: 11, pointBorderWidth: 2,
      pointBorderColor: colour('ink'), pointBackgroundColor: colour('best')}),
    dots('front', front, {...frontSize, pointHoverRadius: 7.5, pointBorderColor: colour('ink')}),
    {type: 'line', label: 'staircase', data: at(staircase(x, y)), stepped: 'before', borderColor: colour('ink'),
      borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0, pointHoverRadius: 0},
    dots('others', others, {pointRadius: 3, pointHoverRadius: 5, pointBorderWidth: 0}),
    dots('cut', byId('scatter-cut').checked ? kCutPoints : [], {pointStyle: 'crossRot', pointRadius: 3.5,
      pointBorderWidth: 1, pointBorderColor: colour('c7')}),
  ];
}

function scatterTooltip() {
  const shown = (item) => item.raw.point;
  const isCut = (item) => item.dataset.label === 'cut';
  return {
    filter: (item, index, items) => item === items.find(shown),
    callbacks: {
      title: ([item]) => (item ? pointTitle(shown(item)) + (isCut(item) ? ', cut: lower bounds' : '') : ''),
      label: (item) => [...settingLines(shown(item)), ...numberLines(shown(item), isCut(item))],
    },
  };
}

function settingLines(point) {
  const lines = settingsOf(point).map((setting) => setting.map((text) => shortened(text, kMaxTooltipText)).join(' = '));
  return lines.length <= kMaxSettingsShown ? lines : [...lines.slice(0, kMaxSettingsShown), '…'];
}

function numberLines(point, isCut) {
  const relation = (metric) => (isCut && metric !== 'area_um2' ? '≥ ' : '');
  const lines = kCostMetrics
    .filter((metric) => metric !== 'area_um2' || point.area_um2 > 0)
    .map((metric) => `${kMetrics[metric].label} ${relation(metric)}${kMetrics[metric].text(point[metric])}`);
  return !isCut && gapText(point) ? [...lines, `Gap ${gapText(point)}`] : lines;
}

function drawScatter() {
  const colours = scatterColours();
  const log = byId('scatter-log').checked;
  const x = kMetrics[scatterX()], y = kMetrics[scatterY()];
  kScatter.chart = drawChart(byId('scatter'), `${y.label} over ${x.label} of ${kPoints.length} design points`, {
    type: 'scatter',
    data: {datasets: scatterDatasets(colours)},
    options: {
      interaction: {mode: 'nearest', intersect: true},
      plugins: {tooltip: scatterTooltip()},
      onClick: (event, hits) => {
        const hit = hits.map((at) => kScatter.chart.data.datasets[at.datasetIndex].data[at.index].point).find(Boolean);
        if (hit && kPointOfId.has(hit.id)) choosePoint(hit);
      },
      scales: {
        x: numberAxis(x, {log: log && isWide(scatterX())}),
        y: numberAxis(y, {log: log && isWide(scatterY())}),
      },
    },
  });
  drawScatterLegend(colours);
}

function drawScatterLegend(colours) {
  byId('scatter-legend').replaceChildren(
    legendEntry('best point', {className: 'best'}),
    legendEntry('Pareto front: energy, delay, area', {className: 'ring'}),
    legendEntry('front of the two axes', {className: 'line'}),
    ...(byId('scatter-cut').checked ? [legendEntry('cut, at its lower bounds', {className: 'cross', sign: '×'})] : []),
    ...colours.legend);
}

// The keyboard's way: along the front from left to right.
function walkScatter(event) {
  const x = scatterX();
  const way = kFront.toSorted((a, b) => a[x] - b[x]);
  const target = {ArrowRight: kScatter.walk + 1, ArrowUp: kScatter.walk + 1, ArrowLeft: kScatter.walk - 1,
    ArrowDown: kScatter.walk - 1, Home: 0, End: way.length - 1}[event.key];
  if (event.key === 'Enter' && way[kScatter.walk]) return choosePoint(way[kScatter.walk]);
  if (target === undefined || way.length === 0) return;
  event.preventDefault();
  kScatter.walk = Math.min(way.length - 1, Math.max(0, target));
  showScatterTooltip(way[kScatter.walk]);
}

function showScatterTooltip(point) {
  const {chart} = kScatter;
  for (const [datasetIndex, {data}] of chart.data.datasets.entries()) {
    const index = data.findIndex((at) => at.point === point);
    if (index < 0) continue;
    const active = [{datasetIndex, index}];
    const {x, y} = chart.getDatasetMeta(datasetIndex).data[index];
    chart.setActiveElements(active);
    chart.tooltip.setActiveElements(active, {x, y});
    chart.update('none');
    const said = [pointTitle(point), ...settingLines(point), ...numberLines(point, false)];
    byId('scatter-said').textContent = said.join(', ');
    return;
  }
}

function scatterNote() {
  const {done, cut} = kData.states;
  const drawnText = kPoints.length < done
    ? `${count(kPoints.length)} of ${count(done)} mapped points are drawn: the best, all of the Pareto front, and a fair `
      + 'sample of the others.'
    : `All ${count(done)} mapped points are drawn.`;
  const cutText = kCutPoints.length < cut ? `a sample of ${count(kCutPoints.length)}` : 'all';
  return [done > 0 ? drawnText : 'No point was mapped.',
    ...(cut > 0 ? [`Of ${count(cut)} cut points ${cutText} can be drawn at their lower bounds.`] : [])].join(' ');
}

function setUpScatter() {
  const always = ['energy_pj', 'cycles'];
  const metrics = kAxisMetrics.filter((metric) => always.includes(metric) || varies(metric));
  const options = metrics.map((metric) => [metric, kMetrics[metric].label]);
  fillSelect(byId('scatter-x'), options, 'energy_pj');
  fillSelect(byId('scatter-y'), options, 'cycles');
  const parameters = kData.parameters.map(({name}, p) => [`parameter:${p}`, name]);
  const first = metrics.includes('area_um2') ? 'area_um2' : 'parameter:0';
  fillSelect(byId('scatter-colour'), [...options, ...parameters], first);
  byId('scatter-cut-label').hidden = kCutPoints.length === 0;
  byId('scatter-note').textContent = scatterNote();
  for (const id of ['scatter-x', 'scatter-y', 'scatter-colour', 'scatter-log', 'scatter-cut']) {
    byId(id).addEventListener('change', drawScatter);
  }
  byId('scatter').addEventListener('keydown', walkScatter);
  drawn(drawScatter);
}
