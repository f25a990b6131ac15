// The trade-offs: every point of the page by two of its numbers, coloured by a third or by a parameter.

const kScatter = {chart: null, colours: null, walk: -1};
const kAxisMetrics = [...kCostMetrics, 'capacity_bytes', 'compute_units'];
const kManyFront = 400;  // from here on the dots of the front are drawn smaller, and by the cloud
const kMaxSwatches = 8;
const kMaxSettingsShown = 24;
const kFrontMetrics = ['energy_pj', 'delay', ...(kAreaOnFront ? ['area_um2'] : [])];  // of the sweep's front

const scatterX = () => byId('scatter-x').value;
const scatterY = () => byId('scatter-y').value;

// How points are coloured: shades[shadeOf(point)], and the legend's entries.
function scatterColours() {
  const choice = byId('scatter-colour').value;
  const parameter = choice.startsWith('parameter:') ? Number(choice.slice('parameter:'.length)) : -1;
  if (parameter < 0) return metricColours(choice);
  const {name, values} = kData.parameters[parameter];
  const shades = values.length > 1 ? shadesOfScale(values.length) : [scaleColour(0.5)];
  return {
    shades,
    shadeOf: (point) => Math.max(0, point.choice(parameter)),
    legend: values.length > kMaxSwatches ? scaleLegend(name, values[0], values.at(-1))
      : values.map((value, i) => legendEntry(`${name} = ${value}`, {style: `background: ${shades[i]}`})),
  };
}

function metricColours(metric) {
  const {label, text} = kMetrics[metric];
  const [low, high] = shownRange(metric);
  const log = low > 0 && high > 20 * low;
  const along = (x) => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
  const fraction = (x) => (high === low ? 0.5 : along(x));
  return {
    shades: shadesOfScale(kCloudShades),
    shadeOf: (point) => shadeAt(fraction(point[metric]), kCloudShades),
    legend: scaleLegend(label, text(low), text(high)),
  };
}

const shadeOfPoint = ({shades, shadeOf}, point) => shades[shadeOf(point)];

function scaleLegend(label, low, high) {
  const bar = element('i', {className: 'bar', ariaHidden: true});
  bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(scaleColour).join(', ')})`;
  return [element('span', {}, `${label} ${low}`, bar, high)];
}

// The front that the reader asked for: that of the numbers shown, with the line that joins its points; that of the
// sweep, which has no line in this plane; or none.
function askedFront() {
  const choice = byId('scatter-front').value;
  if (choice === 'none') return {points: [], line: false};
  if (choice === 'all') return {points: frontShown(), line: false};
  return {points: frontOfTwo(scatterX(), scatterY()), line: true};
}

function scatterDatasets(colours) {
  const x = scatterX(), y = scatterY();
  const at = (points) => points.map((point) => ({x: point[x], y: point[y], point}));
  const dots = (label, points, style) => ({
    label,
    data: at(points),
    pointBackgroundColor: points.map((point) => shadeOfPoint(colours, point)),
    pointHitRadius: 4,
    pointHoverBorderColor: colour('ink'),
    pointHoverBorderWidth: 2,
    ...style,
  });
  const best = [bestShown()].filter(Boolean);
  const {points: front, line} = askedFront();
  const ringed = front.length > kManyFront ? [] : front.filter((point) => point !== best[0]);
  const dashed = ({p0DataIndex: from, p1DataIndex: to}) => (isProven(front[from]) && isProven(front[to]) ? [] : [6, 4]);
  return [
    dots('best', best, {pointStyle: 'rectRot', pointRadius: 9, pointHoverRadius: 11, pointBorderWidth: 2,
      pointBorderColor: colour('ink'), pointBackgroundColor: colour('best')}),
    dots('front', ringed, {pointRadius: 5.5, pointBorderWidth: 1.5, pointHoverRadius: 7.5,
      pointBorderColor: colour('ink'), pointStyle: ringed.map((point) => (isProven(point) ? 'circle' : 'rect'))}),
    {type: 'line', label: 'staircase', data: at(line ? front : []), stepped: 'before', borderColor: colour('ink'),
      borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0, pointHoverRadius: 0, segment: {borderDash: dashed}},
    dots('pointed', [], {pointRadius: 5, pointHoverRadius: 5, pointBorderWidth: 2, pointBorderColor: colour('ink')}),
    dots('cut', shownCut(), {pointStyle: 'crossRot', pointRadius: 3.5, pointBorderWidth: 1,
      pointBorderColor: colour('soft')}),
  ];
}

const shownCut = () => (byId('scatter-cut').checked ? kCutPoints : []);

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
  if (isCut) return lines;
  return [...lines, ...(gapText(point) ? [`Gap ${gapText(point)}`] : []),
    ...(statusText(point) ? [capital(statusText(point))] : [])];
}

function drawScatter() {
  const colours = kScatter.colours = scatterColours();
  const x = kMetrics[scatterX()], y = kMetrics[scatterY()];
  kScatter.chart = drawChart(byId('scatter'), `${y.label} over ${x.label} of ${shown().length} design points`, {
    type: 'scatter',
    data: {datasets: scatterDatasets(colours)},
    plugins: [cloudPlugin(colours, askedFront().points)],
    options: {
      interaction: {mode: 'nearest', intersect: true},
      plugins: {tooltip: scatterTooltip()},
      onHover: (event, hits) => pointAtCloud(event, hits),
      onClick: (event, hits) => {
        const {datasets} = kScatter.chart.data;
        const marked = hits.map((at) => datasets[at.datasetIndex].data[at.index].point).find(Boolean);
        const hit = marked ?? kCloud.nearest(event.x, event.y);
        if (!hit || !kPointOfId.has(hit.id)) return;
        if (event.native.shiftKey) comparePoints(chosen, hit);
        else choosePoint(hit);
      },
      scales: {x: scatterAxis(scatterX()), y: scatterAxis(scatterY())},
    },
  });
  drawScatterLegend(colours);
}

function scatterAxis(metric) {
  const [low, high] = shownRange(metric), cut = rangeAmong(shownCut(), metric);
  const range = [Math.min(low, cut[0]), Math.max(high, cut[1])];
  return numberAxis(kMetrics[metric], {range, log: byId('scatter-log').checked && isWideRange(range)});
}

function drawScatterLegend(colours) {
  const {points, line} = askedFront();
  const some = (is, what, sign) => (points.some(is) ? [legendEntry(what, {className: sign})] : []);
  byId('scatter-legend').replaceChildren(
    legendEntry('best point', {className: 'best'}),
    ...some(isProven, 'front, proven', 'ring'),
    ...some((point) => !isProven(point), 'front, not proven', 'box'),
    ...(shownCut().length > 0 ? [legendEntry('cut, at its lower bounds', {className: 'cross', sign: '×'})] : []),
    ...colours.legend);
  byId('scatter-front-note').textContent = frontText(points, line);
}

// Which front is drawn, and how certain it is.
function frontText(points, line) {
  if (points.length === 0) return '';
  const axes = [scatterX(), scatterY()];
  const names = (metrics) => metrics.map((metric) => kMetrics[metric].label).join(' and ');
  const sampled = kPoints.length < kData.states.done && !axes.every((metric) => kFrontMetrics.includes(metric));
  const many = points.length === 1 ? 'one point' : `${count(points.length)} points`;
  const which = line ? `Front of ${names([...new Set(axes)])}: ${many} that no other`
      + `${sampled ? ' drawn one' : ''} beats in both.`
    : `Front of ${kSweep.front}: ${many}; one that looks beaten here is better in a `
      + 'number that the axes do not show.';
  return `${which} ${provenText(points)}`;
}

// The keyboard's way: along the front from left to right; along that of the axes where none is drawn.
function walkScatter(event) {
  const x = scatterX();
  const {points} = askedFront();
  const way = (points.length > 0 ? points : frontOfTwo(x, scatterY())).toSorted((a, b) => a[x] - b[x]);
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
  const placeOf = () => chart.data.datasets.flatMap(({label, data}, datasetIndex) => {
    const index = label === 'staircase' ? -1 : data.findIndex((at) => at.point === point);
    return index < 0 ? [] : [{datasetIndex, index}];
  }).slice(0, 1);
  if (placeOf().length === 0) setPointed(point);
  const active = placeOf();
  const {x, y} = chart.getDatasetMeta(active[0].datasetIndex).data[active[0].index];
  chart.setActiveElements(active);
  chart.tooltip.setActiveElements(active, {x, y});
  chart.update('none');
  const said = [pointTitle(point), ...settingLines(point), ...numberLines(point, false)];
  byId('scatter-said').textContent = said.join(', ');
}

const pointedSet = () => kScatter.chart.data.datasets.find(({label}) => label === 'pointed');

// A dot of the cloud becomes a dot of the chart, which has a tooltip; null: none is.
function setPointed(point) {
  const set = pointedSet();
  set.data = point ? [{x: point[scatterX()], y: point[scatterY()], point}] : [];
  set.pointBackgroundColor = point ? [shadeOfPoint(kScatter.colours, point)] : [];
  kScatter.chart.update('none');
}

function pointAtCloud(event, hits) {
  const set = pointedSet();
  const point = hits.some(({datasetIndex}) => kScatter.chart.data.datasets[datasetIndex] !== set) ? null
    : kCloud.nearest(event.x, event.y);
  if (set.data[0]?.point === (point ?? undefined)) return;
  setPointed(point);
  if (point) showScatterTooltip(point);
}

function scatterNote() {
  const {done, cut} = kData.states;
  const drawnText = kPoints.length < done
    ? `${count(kPoints.length)} of ${count(done)} mapped points are drawn: the best, all of the Pareto front, and a `
      + 'fair sample of the others.'
    : `All ${count(done)} mapped points are drawn.`;
  const cutText = kCutPoints.length < cut ? `a sample of ${count(kCutPoints.length)}` : 'all';
  const outside = kOutside === 0 ? []
    : [`${count(kOutside)} points are outside the limits: none of their mappings keeps to them, so they have no dot.`];
  return [done > 0 ? drawnText : 'No point was mapped.', ...outside,
    ...(cut > 0 ? [`Of ${count(cut)} cut points ${cutText} can be drawn at their lower bounds.`] : [])].join(' ');
}

// Energy and delay, unless one point is the best in both and the area tells more.
function tellingAxes() {
  const withArea = varies('area_um2') ? [['area_um2', 'energy_pj'], ['area_um2', 'delay']] : [];
  const pairs = [['energy_pj', 'delay'], ...withArea];
  return pairs.find(([x, y]) => frontOfTwo(x, y).length > 1) ?? pairs[0];
}

function setUpScatter() {
  byId('trade-offs').parentElement.hidden = kPoints.length + kCutPoints.length === 0;
  if (byId('trade-offs').parentElement.hidden) return;
  const always = ['energy_pj', 'delay'];
  const whole = kAreaOnFront && varies('area_um2') ? [['all', `of ${kSweep.front}`]] : [];
  fillSelect(byId('scatter-front'), [['axes', 'of the two axes'], ...whole, ['none', 'none']]);
  const metrics = kAxisMetrics.filter((metric) => always.includes(metric) || varies(metric));
  const options = metrics.map((metric) => [metric, kMetrics[metric].label]);
  const [x, y] = tellingAxes();
  fillSelect(byId('scatter-x'), options, x);
  fillSelect(byId('scatter-y'), options, y);
  const parameters = kData.parameters.map(({name}, p) => [`parameter:${p}`, name]);
  const first = varies('area_um2') ? kFrontMetrics.find((metric) => ![x, y].includes(metric)) : 'parameter:0';
  fillSelect(byId('scatter-colour'), [...options, ...parameters], first);
  byId('scatter-cut-label').hidden = kCutPoints.length === 0;
  byId('scatter-note').textContent = scatterNote();
  for (const id of ['scatter-x', 'scatter-y', 'scatter-colour', 'scatter-front', 'scatter-log', 'scatter-cut']) {
    byId(id).addEventListener('change', drawScatter);
  }
  byId('scatter').addEventListener('keydown', walkScatter);
  onSelection(drawScatter);
  drawn(drawScatter);
}
