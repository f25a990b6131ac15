// What each parameter is worth: one small chart a parameter, best and geometric mean over the mapped points with
// each value.

function drawSensitivity(canvas, {name, values}) {
  const metric = kMetrics.value;
  const series = (key, ink, style) => ({
    label: key,
    data: values.map((entry) => entry[key]),
    borderColor: colour(ink),
    backgroundColor: colour(ink),
    ...style,
  });
  drawChart(canvas, `Best and mean ${metric.label} by ${name}`, {
    type: 'line',
    data: {
      labels: values.map(({value}) => value),
      datasets: [
        series('best', 'accent', {pointRadius: 4}),
        series('mean', 'c7', {pointRadius: 3, pointStyle: 'rect', borderDash: [5, 4]}),
      ],
    },
    options: {
      interaction: {mode: 'index', intersect: false},
      plugins: {
        legend: legendStyle(),
        tooltip: {callbacks: {
          title: ([item]) => `${name} = ${item.label}`,
          label: (item) => `${item.dataset.label} ${metric.text(item.raw)}`,
          footer: ([item]) => `${count(values[item.dataIndex].points)} points`,
        }},
      },
      scales: {x: categoryAxis(), y: numberAxis(metric)},
    },
  });
}

function setUpSensitivity() {
  const telling = kData.sensitivity.filter(({values}) => values.length > 1);
  byId('sensitivity-heading').parentElement.hidden = telling.length === 0;
  byId('sensitivity-metric').textContent = kMetrics.value.label;
  for (const parameter of telling) {
    const canvas = element('canvas', {role: 'img'});
    byId('sensitivity').append(element('figure', {},
      element('figcaption', {}, parameter.name), element('div', {className: 'chart'}, canvas)));
    drawn(() => drawSensitivity(canvas, parameter));
  }
}
