// Tables of points, and of what became of those that have no answer.

const kMaxRows = 500;  // of the front

function pointColumns() {
  const number = (metric) => ({
    title: kMetrics[metric].label,
    key: (point) => point[metric],
    cell: (point) => kMetrics[metric].text(point[metric]),
  });
  return [
    {title: 'Point', key: (point) => point.id, cell: pointButton},
    ...kData.parameters.map(({name, values}, p) => ({
      title: name,
      text: 'text',
      key: (point) => values[point.choice[p]],
      cell: (point) => values[point.choice[p]],
    })),
    ...kCostMetrics.filter((metric) => metric !== 'area_um2' || varies(metric)).map(number),
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
  const front = kFront.length <= kMaxRows ? kFront : kFront.toSorted((a, b) => a.value - b.value).slice(0, kMaxRows);
  if (front.length < kFront.length) {
    const listed = `${count(kMaxRows)} of ${count(kFront.length)}`;
    byId('front-note').append(` Listed are ${listed}, those of the least ${kMetrics.value.label}.`);
  }
  if (front.length > 0) byId('front-note').append(` ${provenText(kFront)}`);
  for (const [name, points] of [['best', kBest], ['front', front]]) {
    byId(`${name}-heading`).parentElement.hidden = points.length === 0;
    if (points.length > 0) fillTable(byId(`${name}-table`), pointColumns(), points);
  }
  fillTable(byId('outcome-table'), [
    {title: 'State', text: 'text', key: (row) => row.state, cell: (row) => row.state},
    {title: 'Points', key: (row) => row.points, cell: (row) => count(row.points)},
    {title: 'Why', text: 'text wrap', key: (row) => row.reason, cell: (row) => row.reason},
  ], kData.outcomes);
}
