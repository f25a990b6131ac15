// What each parameter is worth: one small chart a parameter, best and geometric mean over the mapped points with each
// value, the interval in which the least value certainly lies, and that of the middle half of the points. All points
// count while none is left out by the selection; else those that are shown.

const kSensitivityLines = {both: ['best', 'mean'], best: ['best'], mean: ['mean']};

const sensitivityKeys = () => kSensitivityLines[byId('sensitivity-lines').value];

// The values of a parameter that some point shown has: what the program summed up over all points, or what is
// shown. [least bound, best] is of all points, those that bounds have left out too, and nothing where that is not known of
// some; of a selection it is of the points shown, as the quartiles always are.
function sensitivityValues(p) {
  const {name, values} = kData.parameters[p];
  const groups = values.map(() => []);
  for (const point of byValue()) groups[point.choice(p)]?.push(point);
  const whole = kSelection.scope === kAll && !isFiltered();
  const summed = kData.sensitivity.find((one) => one.name === name)?.values ?? [];
  const all = new Map(whole ? summed.map((entry) => [entry.value, entry]) : []);
  return values.flatMap((value, i) => {
    const points = groups[i];
    if (points.length === 0) return [];
    const sorted = points.map((point) => point.value);
    const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    const mean = Math.exp(sorted.reduce((sum, x) => sum + Math.log(x), 0) / sorted.length);
    const entry = all.get(value) ?? {value, points: points.length, best: sorted[0], mean};
    const least = whole ? (kLeft > 0 ? 0 : entry.least_bound) : rangeAmong(points, 'lower_bound')[0];
    const certain = least > 0 ? [Math.min(least, entry.best), entry.best] : null;
    return [{...entry, half: [quantile(0.25), quantile(0.75)], certain}];
  });
}

function drawSensitivity(canvas, p, heading) {
  const {name} = kData.parameters[p];
  const values = sensitivityValues(p);
  heading.textContent = worthText({values});
  const metric = kMetrics.value;
  const keys = sensitivityKeys();
  const ends = {best: (entry) => entry.certain ?? [], mean: (entry) => entry.half};
  const range = extent(keys.flatMap((key) => values.flatMap((entry) => [entry[key], ...ends[key](entry)])));
  const letters = Math.max(8, Math.floor((canvas.parentElement.clientWidth - 60) / values.length / kLetter));
  const styles = {
    best: {borderColor: colour('best'), backgroundColor: colour('best'), pointRadius: 4},
    mean: {borderColor: colour('soft'), backgroundColor: colour('soft'), pointRadius: 3, pointStyle: 'rect',
      borderDash: [5, 4]},
  };
  const intervals = {
    best: {label: 'least value lies in', data: values.map(({certain}) => certain), backgroundColor: colour('best'),
      barPercentage: 0.1, categoryPercentage: 1, minBarLength: 0},
    mean: {label: 'half of the points', data: values.map(({half}) => half), backgroundColor: colour('line'),
      barPercentage: 0.55, categoryPercentage: 1},
  };
  drawChart(canvas, `${keys.join(' and ')} ${metric.label} by ${name}`, {
    type: 'line',
    data: {
      labels: values.map(({value}) => value),
      datasets: [
        ...keys.map((key) => ({label: key, data: values.map((entry) => entry[key]), ...styles[key]})),
        ...keys.map((key) => ({type: 'bar', grouped: false, ...intervals[key]})),
      ],
    },
    options: {
      interaction: {mode: 'index', intersect: false},
      plugins: {
        tooltip: {callbacks: {
          title: ([item]) => `${name} = ${item.label}`,
          label: ({dataset, raw}) => (raw === null ? '' : `${dataset.label} ${
            Array.isArray(raw) ? raw.map((x) => metric.text(x)).join(' to ') : metric.text(raw)}`),
          footer: ([item]) => `${count(values[item.dataIndex].points)} points`,
        }},
      },
      scales: {
        x: nameAxis(letters, {ordered: true}),
        y: numberAxis({...metric, label: ''}, {range, log: isWideRange(range)}),
      },
    },
  });
}

function drawSensitivityLegend() {
  const entries = {
    best: () => [legendEntry('best', {className: 'line best-line'}),
      legendEntry('down to the least lower bound: the true least lies there', {className: 'interval best-interval'})],
    mean: () => [legendEntry('geometric mean', {className: 'line dashed'}),
      legendEntry('middle half of the points', {className: 'interval'})],
  };
  byId('sensitivity-legend').replaceChildren(...sensitivityKeys().flatMap((key) => entries[key]()));
}

// By how much the best value depends on the parameter.
function worthText({values}) {
  const [low, high] = extent(values.map(({best}) => best));
  return low > 0 ? `best differs by ${digits(Number((high / low).toPrecision(3)))} ×` : '';
}

function setUpSensitivity() {
  const telling = kData.parameters.map((_, p) => p).filter((p) => kData.parameters[p].values.length > 1
    && kData.sensitivity.some(({name, values}) => name === kData.parameters[p].name && values.length > 1));
  byId('sensitivity-heading').parentElement.hidden = telling.length === 0;
  const {unit} = kMetrics.value;
  byId('sensitivity-metric').textContent = unit ? `${valueWords(kSweep)} [${unit}]` : valueWords(kSweep);
  byId('sensitivity-lines').addEventListener('change', drawSensitivityLegend);
  drawSensitivityLegend();
  for (const p of telling) {
    const canvas = element('canvas', {role: 'img'});
    const heading = element('span', {className: 'more'});
    byId('sensitivity').append(element('figure', {},
      element('figcaption', {}, kData.parameters[p].name, ' ', heading),
      element('div', {className: 'chart'}, canvas)));
    const draw = () => drawSensitivity(canvas, p, heading);
    byId('sensitivity-lines').addEventListener('change', draw);
    followSelection(canvas, draw);
  }
}
