// Tables of points, and of what became of those that have no answer. That of the selection has any number of rows: only
// those in sight are in the page.

const kMaxRows = 500;  // of the front

function pointColumns() {
  const number = (metric) => ({
    title: kMetrics[metric].label,
    metric,
    key: (point) => point[metric],
    cell: (point) => kMetrics[metric].text(point[metric]),
  });
  return [
    {title: 'Point', key: (point) => point.id, cell: pointButton},
    ...kData.parameters.map(({name, values}, p) => {
      const sorted = values.toSorted(compareKeys), ranks = values.map((value) => sorted.indexOf(value));
      return {title: name, text: 'text', key: (point) => ranks[point.choice(p)] ?? NaN,
        cell: (point) => values[point.choice(p)]};
    }),
    ...kCostMetrics.filter((metric) => metric !== 'area_um2' || varies(metric)).map(number),
    {title: 'Gap', key: gapOf, cell: gapText},
    ...(kHasStatus ? [{title: 'Status', text: 'text', key: ({status}) => Object.keys(kStatusTexts).indexOf(status),
      cell: statusText}] : []),
  ];
}

function pointButton(point) {
  const show = () => {
    choosePoint(point);
    byId('point-heading').scrollIntoView();
  };
  return element('button', {type: 'button', title: 'Show this point', onclick: show}, count(point.id));
}

const kRowHeight = 30;    // pixels, of a row of the selection; the style of .rows says the same
const kRowsBeyond = 10;   // made above and below those in sight
const kPrintedRows = 40;

const kRows = {points: [], column: null, ascending: true};

function sortRows() {
  const {columns, column, ascending} = kRows;
  kRows.points = shownBy(column.metric ?? `column ${columns.indexOf(column)}`,
    () => (column.metric ? kColumns[column.metric] : kPoints.map(column.key)), ascending);
}

// The rows in sight between two empty ones that are as high as those left out.
function fillRows() {
  const scroll = byId('points-scroll');
  const first = printing ? 0 : Math.max(0, Math.floor(scroll.scrollTop / kRowHeight) - kRowsBeyond);
  const sight = printing ? kPrintedRows : Math.ceil(scroll.clientHeight / kRowHeight) + 2 * kRowsBeyond;
  const last = Math.min(kRows.points.length, first + sight);
  const space = (rows) => {
    const line = element('tr', {ariaHidden: true});
    line.style.height = `${printing ? 0 : rows * kRowHeight}px`;
    return line;
  };
  const columns = kRows.columns;
  byId('points-table').tBodies[0].replaceChildren(space(first), ...kRows.points.slice(first, last).map((point) => {
    const line = element('tr', {className: point === chosen ? 'chosen' : ''},
      ...columns.map((column) => element('td', {className: column.text ?? ''}, column.cell(point))));
    line.dataset.id = point.id;
    return line;
  }), space(kRows.points.length - last));
}

function showRows() {
  byId('points-note').textContent = pointsText(shown().length)
    + `${kPoints.length < kData.states.done ? ' of those in the page' : ''}, by ${kRows.column.title}`
    + `${kRows.ascending ? '' : ', last first'}; a click on a heading sorts, a click on a number shows the point.`;
  sortRows();
  byId('points-scroll').scrollTop = 0;
  fillRows();
}

function setUpRows() {
  byId('points-heading').parentElement.hidden = kPoints.length === 0;
  kRows.columns = [...pointColumns(), ...rateColumns()];
  const head = element('tr');
  kRows.columns.forEach((column) => {
    const heading = element('th', {className: column.text ?? '', scope: 'col'});
    const sort = () => {
      kRows.ascending = kRows.column === column ? !kRows.ascending : true;
      kRows.column = column;
      for (const other of head.children) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', kRows.ascending ? 'ascending' : 'descending');
      showRows();
    };
    heading.append(element('button', {type: 'button', onclick: sort}, column.title));
    head.append(heading);
  });
  byId('points-table').replaceChildren(element('thead', {}, head), element('tbody'));
  kRows.column = kRows.columns.find(({title}) => title === kMetrics.value.label) ?? kRows.columns[0];
  byId('points-scroll').addEventListener('scroll', () => soon(fillRows));
  followSelection(byId('points-scroll'), showRows, fillRows);
}

// Power and efficiency, where they are known.
function rateColumns() {
  const column = (title, of, text) => ({title, key: of, cell: (point) => (of(point) > 0 ? text(of(point)) : '')});
  const rate = (key) => (point) => ratesOf(scopeOperations(), point.energy_pj, point.seconds)[key];
  return [
    column('Power', rate('watts'), wattsText),
    column('TOPS/W', rate('topsPerWatt'), digits),
  ].filter(({key}) => kPoints.length > 0 && key(kPoints[0]) > 0);
}

function setUpTables() {
  const front = kFront.length <= kMaxRows ? kFront : kFront.toSorted((a, b) => a.value - b.value).slice(0, kMaxRows);
  byId('front-note').textContent = `Mapped points that no other mapped point beats in ${kSweep.front} at once.`;
  if (front.length < kFront.length) {
    const listed = `${count(kMaxRows)} of ${count(kFront.length)}`;
    byId('front-note').append(` Listed are ${listed}, those of the least ${kMetrics.value.label}.`);
  }
  if (front.length > 0) byId('front-note').append(` ${provenText(kFront)}`);
  if (amongText()) byId('front-note').append(` It is ${amongText()}.`);
  for (const [name, points] of [['best', kBest], ['front', front]]) {
    byId(`${name}-heading`).parentElement.hidden = points.length === 0;
    if (points.length > 0) fillTable(byId(`${name}-table`), pointColumns(), points);
  }
  const rows = Object.values(kData.states).reduce((sum, n) => sum + n, 0), {machines} = kData.decided;
  byId('outcome-note').textContent = machines > rows
    ? `Of ${count(machines)} machines: a bound leaves out whole sets of them, which count once here.` : '';
  fillTable(byId('outcome-table'), [
    {title: 'State', text: 'text', key: (row) => row.state, cell: (row) => row.state},
    {title: 'Points', key: (row) => row.points, cell: (row) => count(row.points)},
    {title: 'Why', text: 'text wrap', key: (row) => row.reason, cell: (row) => row.reason},
  ], kData.outcomes);
}
