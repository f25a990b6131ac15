// Tables of points, and of what became of those that have no answer.

function pointColumns() {
  const number = (metric) => ({title: kMetrics[metric].label, key: (point) => point[metric], cell: (point) => kMetrics[metric].text(point[metric])});
  return [
    {title: 'Point', key: (point) => point.id, cell: pointButton},
    ...kData.parameters.map(({name, values}, p) => ({
      title: name,
      text: 'text',
      key: (point) => values[point.choice[p]],
      cell: (point) => values[point.choice[p]],
    })),
    ...['energy_pj', 'cycles', 'value', 'area_um2'].filter((metric) => metric !== 'area_um2' || varies(metric)).map(number),
    {title: 'Gap', key: gapOf, cell: gapText},
  ];
}

function pointButton(point) {
  const show = () => {
    choosePoint(point);
    byId('point-heading').scrollIntoView();
  };
  return element('button', {type: 'button', title: 'Show this point', onclick: show}, count(point.id));
}

function setUpTables() {
  for (const [name, points] of [['best', kBest], ['front', kFront]]) {
    byId(`${name}-heading`).parentElement.hidden = points.length === 0;
    if (points.length > 0) fillTable(byId(`${name}-table`), pointColumns(), points);
  }
  fillTable(byId('outcome-table'), [
    {title: 'State', text: 'text', key: (row) => row.state, cell: (row) => row.state},
    {title: 'Points', key: (row) => row.points, cell: (row) => count(row.points)},
    {title: 'Why', text: 'text wrap', key: (row) => row.reason, cell: (row) => row.reason},
  ], kData.outcomes);
}
