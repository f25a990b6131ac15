// What each parameter is worth: one small chart a parameter, best and geometric mean over the mapped points with
// each value.

const kSensitivityLines = {both: ['best', 'mean'], best: ['best'], mean: ['mean']};

const sensitivityKeys = () => kSensitivityLines[byId('sensitivity-lines').value];

function drawSensitivity(canvas, {name, values}) {
  const metric = kMetrics.value;
  const keys = sensitivityKeys();
  const range = extent(keys.flatMap((key) => values.map((entry) => entry[key])));
  const letters = Math.max(8, Math.floor((canvas.parentElement.clientWidth - 60) / values.length / kLetter));
  const styles = {
    best: {borderColor: colour('accent'), backgroundColor: colour('accent'), pointRadius: 4},
    mean: {borderColor: colour('soft'), backgroundColor: colour('soft'), pointRadius: 3, pointStyle: 'rect',
      borderDash: [5, 4]},
  };
  drawChart(canvas, `${keys.join(' and ')} ${metric.label} by ${name}`, {
    type: 'line',
    data: {
      labels: values.map(({value}) => value),
      datasets: keys.map((key) => ({label: key, data: values.map((entry) => entry[key]), ...styles[key]})),
    },
    options: {
      interaction: {mode: 'index', intersect: false},
      plugins: {
        tooltip: {callbacks: {
          title: ([item]) => `${name} = ${item.label}`,
          label: (item) => `${item.dataset.label} ${metric.text(item.raw)}`,
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
    best: () => legendEntry('best', {className: 'line accent'}),
    mean: () => legendEntry('geometric mean', {className: 'line dashed'}),
  };
  byId('sensitivity-legend').replaceChildren(...sensitivityKeys().map((key) => entries[key]()));
}

// By how much the best value depends on the parameter.
function worthText({values}) {
  const [low, high] = extent(values.map(({best}) => best));
  return low > 0 ? `best differs by ${digits(Number((high / low).toPrecision(3)))} ×` : '';
}

function setUpSensitivity() {
  const telling = kData.sensitivity.filter(({values}) => values.length > 1);
  byId('sensitivity-heading').parentElement.hidden = telling.length === 0;
  const {label, unit} = kMetrics.value;
  byId('sensitivity-metric').textContent = unit ? `${label} [${unit}]` : label;
  byId('sensitivity-lines').addEventListener('change', drawSensitivityLegend);
  drawSensitivityLegend();
  for (const parameter of telling) {
    const canvas = element('canvas', {role: 'img'});
    byId('sensitivity').append(element('figure', {},
      element('figcaption', {}, parameter.name, ' ', element('span', {className: 'more'}, worthText(parameter))),
      element('div', {className: 'chart'}, canvas)));
    const draw = () => drawSensitivity(canvas, parameter);
    byId('sensitivity-lines').addEventListener('change', draw);
    drawn(draw);
  }
}
