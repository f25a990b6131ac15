// What each parameter is worth: one small chart a parameter, best and geometric mean over the mapped points with
// each value.

function drawSensitivity(canvas, {name, values}) {
  const series = (label, key, style) => ({label, data: values.map((entry) => entry[key]), ...style});
  drawChart(canvas, `Best and mean ${kObjective.label} by ${name}`, {
    type: 'line',
    data: {
      labels: values.map(({value}) => value),
      datasets: [
        series('best', 'best', {borderColor: colour('accent'), backgroundColor: colour('accent'), pointRadius: 4}),
        series('mean', 'mean', {borderColor: colour('c7'), backgroundColor: colour('c7'), pointRadius: 3, pointStyle: 'rect', borderDash: [5, 4]}),
      ],
    },
    options: {
      interaction: {mode: 'index', intersect: false},
      plugins: {
        legend: legendStyle(),
        tooltip: {callbacks: {
          title: ([item]) => `${name} = ${item.label}`,
          label: (item) => `${item.dataset.label} ${kObjective.text(item.raw)}`,
          footer: ([item]) => `${count(values[item.dataIndex].points)} points`,
        }},
      },
      scales: {x: categoryAxis(), y: numberAxis(kObjective)},
    },
  });
}

function setUpSensitivity() {
  const telling = kData.sensitivity.filter(({values}) => values.length > 1);
  byId('sensitivity-heading').parentElement.hidden = telling.length === 0;
  byId('sensitivity-metric').textContent = kObjective.label;
  for (const parameter of telling) {
    const canvas = element('canvas', {role: 'img'});
    byId('sensitivity').append(element('figure', {},
      element('figcaption', {}, parameter.name), element('div', {className: 'chart'}, canvas)));
    drawn(() => drawSensitivity(canvas, parameter));
  }
}
