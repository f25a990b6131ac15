// Two points side by side: parameters and costs with their ratios, energy by level and tensor, loop nests.

const kCompared = {a: null, b: null};

function comparePoints(a, b) {
  kCompared.a = a ?? kBest[0];
  kCompared.b = b ?? kBest[1] ?? kBest[0];
  fillCompareChoices();
  showComparison();
  byId('compare-heading').scrollIntoView();
}

function fillCompareChoices() {
  const known = [...kBest, ...kFront].filter(({id}) => kDetails.has(id));
  const listed = [...new Set([...known, kCompared.a, kCompared.b])].filter(Boolean);
  for (const side of ['a', 'b']) {
    fillSelect(byId(`compare-${side}`), listed.map((point) => [String(point.id), pointLabel(point)]),
      String(kCompared[side].id));
  }
}

// Rows of the table: what, of A, of B, and how many times as much B has.
function comparedRows(a, b) {
  const numbers = [...kAxisMetrics].filter((metric) => a[metric] > 0 || b[metric] > 0);
  const settings = settingsOf(a).map(([name, value], p) => ({what: name, a: value, b: settingsOf(b)[p][1], times: NaN,
    differs: value !== settingsOf(b)[p][1]}));
  const costs = numbers.map((metric) => ({what: kMetrics[metric].label, a: kMetrics[metric].text(a[metric]),
    b: kMetrics[metric].text(b[metric]), times: b[metric] / a[metric], differs: a[metric] !== b[metric]}));
  const ratesA = rateEntries(a, scopeOperations()), ratesB = new Map(rateEntries(b, scopeOperations()));
  const rates = ratesA.map(([what, text]) => ({what, a: text, b: ratesB.get(what) ?? '', times: NaN, differs: true}));
  return [...settings, ...costs, ...rates,
    ...(kHasStatus ? [{what: 'Status', a: statusText(a), b: statusText(b), times: NaN, differs: a.status !== b.status}]
      : []),
    {what: 'Gap to the lower bound', a: gapText(a) || '?', b: gapText(b) || '?', times: NaN, differs: true},
    ...(a.least_words > 0 && b.least_words > 0 ? [{what: 'Words moved over the least possible',
      a: distanceText(distanceOf(a)), b: distanceText(distanceOf(b)), times: NaN, differs: true}] : [])];
}

// Who wins, and whether better mappings could turn it.
function comparedText(a, b) {
  if (a === b) return 'A and B are one point.';
  const what = valueWords(kSweep);
  const [less, more, name] = a.value <= b.value ? [a, b, 'A'] : [b, a, 'B'];
  if (a.value === b.value) return `Both have the same ${what}.`;
  const ahead = `${name} has less ${what}: the other has ${percentText(more.value / less.value - 1)} more.`;
  if (!(more.lower_bound > 0)) return `${ahead} Of the other no lower bound is known.`;
  return more.lower_bound >= less.value
    ? `${ahead} That is certain: no mapping of the other has less than ${kObjective.text(more.lower_bound)}.`
    : `${ahead} With better mappings the other might have as little as ${kObjective.text(more.lower_bound)}.`;
}

function showComparison() {
  const {a, b} = kCompared;
  if (!a || !b) return;
  byId('compare-said').textContent = comparedText(a, b);
  const word = (title, key) => ({title, text: 'text', key: (row) => row[key], cell: (row) => row[key]});
  const number = (title, key) => ({title, key: (row) => row[key], cell: (row) => row[key]});
  fillTable(byId('compare-table'), [
    word('', 'what'), number(`A: point ${count(a.id)}`, 'a'), number(`B: point ${count(b.id)}`, 'b'),
    {title: 'B over A', key: (row) => row.times, cell: ({times}) => (Number.isFinite(times) ? timesText(times) : '')},
  ], comparedRows(a, b));
  const rows = comparedRows(a, b);
  [...byId('compare-table').tBodies[0].rows].forEach((line, i) => line.classList.toggle('same', !rows[i].differs));
  const details = [a, b].map(({id}) => kDetails.get(id));
  byId('compare-charts').hidden = !details.every(Boolean);
  byId('compare-note').textContent = details.every(Boolean) ? ''
    : 'Energies by level and loop nests are in the page for the best points and those of the Pareto front only.';
  if (details.every(Boolean)) drawComparison(details);
}

function drawComparison(details) {
  const everything = () => true;
  const both = details.map((detail) => partsOf(detail, everything));
  const names = [...new Set(both.flat().map(({name}) => name))];
  const rows = names.flatMap((name) => both.map((parts, i) => ({label: `${name}, ${'AB'[i]}`,
    energy: parts.find((part) => part.name === name)?.energy ?? new Map()})));
  const series = seriesIn(rows.map(({energy}) => ({energy})));
  drawBars(byId('compare-energy'), 'Energy by level and tensor of points A and B', {
    labels: rows.map(({label}) => label),
    datasets: series.map((one) => ({label: seriesName(one), data: rows.map(({energy}) => energy.get(one) ?? 0),
      backgroundColor: seriesFill(one)})),
    text: energyText,
    stacked: true,
  });
  byId('compare-legend').replaceChildren(
    ...series.map((one) => legendEntry(seriesName(one), {mark: swatch(seriesFill(one))})));
  fillSelect(byId('compare-layer'), details[0].layers.map(({workload, name}, l) =>
    [String(l), workloadsOf(details[0]).length > 1 ? `${workload}: ${name}` : name]));
  showComparedNests(details);
}

function showComparedNests(details) {
  const l = Number(byId('compare-layer').value);
  details.forEach((detail, i) => {
    const {mapping} = detail.layers[l] ?? {};
    byId(`compare-nest-${'ab'[i]}`).replaceChildren(
      ...(mapping ? nestOf(mapping) : [element('p', {className: 'note'}, 'No mapping.')]));
  });
}

function setUpCompare() {
  const hidden = kPoints.length < 2;
  byId('compare-heading').parentElement.hidden = byId('point-compare').hidden = hidden;
  if (hidden) return;
  for (const side of ['a', 'b']) {
    byId(`compare-${side}`).addEventListener('change', ({target}) => {
      kCompared[side] = kPointOfId.get(Number(target.value));
      showComparison();
    });
  }
  byId('compare-swap').addEventListener('click', () => {
    [kCompared.a, kCompared.b] = [kCompared.b, kCompared.a];
    fillCompareChoices();
    showComparison();
  });
  byId('compare-layer').addEventListener('change', () =>
    showComparedNests([kCompared.a, kCompared.b].map(({id}) => kDetails.get(id))));
  byId('point-compare').addEventListener('click', () =>
    comparePoints(kBest[0], chosen === kBest[0] ? kBest[1] : chosen));
  kCompared.a = kBest[0];
  kCompared.b = kBest[1] ?? kPoints.find((point) => point !== kBest[0]);
  fillCompareChoices();
  followSelection(byId('compare-heading'), showComparison);
}
