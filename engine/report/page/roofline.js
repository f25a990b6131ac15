// The roofline of the chosen point: for each layer the MACs that it makes of a byte at a level, and how many it makes
// in a cycle, under what the level's bandwidth and the compute units allow. A dashed line leads to the most MACs a byte
// that any mapping of the layer can make at the outermost level.

const kMacs = {label: 'MACs a cycle', text: digits};
const kRoofPoints = 60;

// The rows of a level: one a layer with a roofline that moves bytes there.
function rooflineRows(detail, level) {
  return detail.layers.filter(({roofline}) => roofline).flatMap((layer) => {
    const {roofline} = layer;
    const place = roofline.levels.findIndex(({name}) => name === level);
    const at = roofline.levels[place];
    if (!at || !(at.bytes > 0)) return [];
    const intensity = roofline.operations / at.bytes;
    const least = place === 0 && layer.least_words > 0 ? layer.words_moved / layer.least_words : NaN;
    return [{layer, roofline, at, intensity, most: intensity * least, reached: roofline.operations / roofline.cycles,
      roof: at.cycles > 0 ? roofline.operations / at.cycles : Infinity,
      name: workloadsOf(detail).length > 1 ? `${layer.workload}: ${layer.name}` : layer.name}];
  });
}

const limitFill = (parts, limit) => (limit ? orderedFill(parts.indexOf(limit), parts.length) : colour('none'));

function drawRoofline() {
  const detail = chosen && kDetails.get(chosen.id);
  const known = detail?.layers.some(({roofline}) => roofline);
  byId('roofline-heading').parentElement.hidden = !known;
  if (!known) return;
  const names = detail.layers.find(({roofline}) => roofline).roofline.levels.map(({name}) => name);
  fillSelect(byId('roofline-level'), names.map((name) => [name, name]));
  const level = byId('roofline-level').value;
  const rows = rooflineRows(detail, level);
  fillRooflineTable(rows, detail);
  if (rows.length === 0) {
    byId('roofline-note').textContent = `No layer moves a byte at ${level}.`;
    return;
  }
  const peak = rows[0].roofline.per_cycle, rate = rows[0].at.per_cycle;
  const xs = rows.flatMap(({intensity, most}) => [intensity, most]).filter(Number.isFinite);
  const ridge = rate ? peak / rate : NaN;
  const [low, high] = extent([...xs, ...(Number.isFinite(ridge) ? [ridge] : [])]);
  const xRange = [low / 1.6, high * 1.6];
  const yRange = extent([peak * 1.15, ...rows.map(({reached}) => reached / 1.5),
    ...(rate ? [Math.min(peak, xRange[0] * rate)] : [])]);
  const roofAt = (x) => Math.min(peak, rate ? x * rate : Infinity);
  const along = Array.from({length: kRoofPoints + 1}, (_, i) => xRange[0] * (xRange[1] / xRange[0]) ** (i / kRoofPoints));
  const roof = [...along, ...(ridge > xRange[0] ? [ridge] : [])].toSorted((a, b) => a - b)
    .map((x) => ({x, y: roofAt(x)}));
  const limits = [...new Set(rows.map(({roofline}) => roofline.limit))];
  drawChart(byId('roofline'), `Roofline of point ${detail.id} at ${level}`, {
    type: 'scatter',
    data: {datasets: [
      {label: 'layers', data: rows.map((row) => ({x: row.intensity, y: row.reached, row})), pointRadius: 6,
        pointHoverRadius: 8, pointBorderColor: colour('ink'), pointBorderWidth: 1.5,
        pointBackgroundColor: rows.map(({roofline}) => limitFill(names, roofline.limit))},
      {type: 'line', label: 'roof', data: roof, borderColor: colour('ink'), borderWidth: 2, pointRadius: 0,
        pointHitRadius: 0},
      ...rows.filter(({most}) => Number.isFinite(most)).map(({intensity, most, reached}) => ({
        type: 'line', label: 'bound', data: [{x: intensity, y: reached}, {x: most, y: reached}],
        borderColor: colour('soft'), borderWidth: 1.5, borderDash: [4, 3], pointRadius: [0, 4], pointStyle: 'line',
        pointRotation: 90, pointHitRadius: 0})),
    ]},
    options: {
      interaction: {mode: 'nearest', intersect: true},
      plugins: {tooltip: {
        filter: ({raw}) => Boolean(raw.row),
        callbacks: {title: ([item]) => item?.raw.row.name ?? '', label: ({raw}) => rooflineLines(raw.row)},
      }},
      scales: {
        x: numberAxis({label: `MACs a byte at ${level}`, text: digits}, {range: xRange, log: true}),
        y: numberAxis(kMacs, {range: yRange, log: isWideRange(yRange)}),
      },
    },
  });
  byId('roofline-legend').replaceChildren(
    legendEntry(`roof: ${digits(peak)} MACs a cycle, ${rate ? `${digits(rate)} bytes a cycle` : 'unlimited bandwidth'}`,
      {className: 'line'}),
    ...limits.map((limit) => legendEntry(`waits for ${limit || 'the compute units'}`,
      {mark: swatch(limitFill(names, limit))})),
    ...(rows.some(({most}) => Number.isFinite(most)) ? [legendEntry('to the most that any mapping can make of a byte',
      {className: 'line dashed'})] : []));
  byId('roofline-note').textContent = rooflineText(rows);
}

function rooflineLines(row) {
  const {roofline, intensity, most, reached, at} = row;
  return [`${digits(intensity)} MACs a byte${Number.isFinite(most) ? ` of at most ${digits(most)}` : ''}`,
    `${digits(reached)} MACs a cycle of ${digits(roofline.per_cycle)}`,
    `${bytesText(at.bytes)} in ${cyclesText(roofline.cycles)}`, `waits for ${roofline.limit_text}`];
}

// What limits how much of the time.
function rooflineText(rows) {
  const time = new Map();
  let all = 0;
  for (const {layer, roofline} of rows) {
    const cycles = roofline.cycles * layer.count * layer.weight;
    time.set(roofline.limit, (time.get(roofline.limit) ?? 0) + cycles);
    all += cycles;
  }
  const shares = [...time].toSorted((a, b) => b[1] - a[1])
    .map(([limit, cycles]) => `${percentText(cycles / all)} of the time in layers that wait for `
      + `${limit || 'the compute units'}`);
  return `Of point ${count(chosen.id)}: ${shares.join(', ')}.`;
}

function fillRooflineTable(rows) {
  const number = (title, key, text) => ({title, key, cell: (row) => (Number.isFinite(key(row)) ? text(key(row)) : '')});
  fillTable(byId('roofline-table'), [
    {title: 'Layer', text: 'text', key: ({name}) => name, cell: ({name}) => name},
    number('Bytes', ({at}) => at.bytes, bytesText),
    number('MACs a byte', ({intensity}) => intensity, digits),
    number('at most', ({most}) => most, digits),
    number('MACs a cycle', ({reached}) => reached, digits),
    number('if it waited for this level alone', ({roof}) => roof, digits),
    {title: 'Waits for', text: 'text', key: (row) => row.roofline.limit_text, cell: (row) => row.roofline.limit_text},
  ], rows);
}

function setUpRoofline() {
  byId('roofline-level').addEventListener('change', drawRoofline);
  byId('roofline-heading').parentElement.hidden = true;
  drawn(drawRoofline);
}
