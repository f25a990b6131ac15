// The page from top to bottom.

const kStateLabels = {
  done: 'Mapped', cut: 'Cut by bounds', infeasible: 'Infeasible', excluded: 'Excluded', invalid: 'Invalid',
};

function setUpHead() {
  document.title = `${kSweep.name}: Heliolite sweep`;
  byId('name').textContent = kSweep.name;
  byId('asked').textContent = [
    `objective ${kSweep.objective}`, `strategy ${kSweep.strategy}`, `${kSweep.factors} factors`, `goal ${kSweep.goal}`,
    ...(kSweep.shards > 1 ? [`shard ${kSweep.shard} of ${kSweep.shards}`] : []), kSweep.version,
  ].join(' · ');
  byId('notes').replaceChildren(...kSweep.notes.map((note) => element('p', {className: 'note'}, note)));
  byId('program').textContent = kData.program;
}

function setUpSummary() {
  const {states} = kData;
  const [best] = kBest;
  const entries = [];
  if (best) {
    entries.push(['Best point', count(best.id), isProven(best) ? 'proven' : gapText(best) && `gap ${gapText(best)}`]);
    if (kIsProduct && (kSweep.rank !== 'totals' || kHasMean)) {
      entries.push([`${kObjective.label} of totals`,
        kObjective.text(best.energy_pj * best.delay ** kSweep.cycles_power * best.area_um2 ** (kSweep.area_power ?? 0))]);
    }
  }
  const {machines} = kData.decided;
  entries.push(['Machines decided', count(machines), kLeft > 0
    ? `of ${count(kSweep.shard_points)} planned: not finished` : 'all that were planned']);
  // In large grids a row may stand for many machines that a bound leaves out.
  const rows = Object.values(states).reduce((sum, n) => sum + n, 0);
  const numbers = {...states, cut: states.cut + machines - rows, infeasible: states.infeasible - kOutside};
  for (const [state, label] of Object.entries(kStateLabels)) {
    if (numbers[state] > 0 || state === 'done') entries.push([label, count(numbers[state])]);
  }
  if (kOutside > 0) entries.push(['Outside the limits', count(kOutside), 'no mapping found keeps to them']);
  if (kFront.length > 0) entries.push(['Pareto front', count(kFront.length),
    [unprovenText(kFront), amongText()].filter(Boolean).join(', ')]);
  fillList(byId('summary'), entries);
}

function setUpQuestion() {
  fillList(byId('question'), [
    ['Objective', kSweep.objective], ['Strategy', kSweep.strategy], ['Mapspace', `${kSweep.factors} factors`],
    ['Goal', kSweep.goal], ['Ranked by', kMetrics.value.label],
    ['Grid', `${count(kSweep.grid_points)} points`], ['Planned', `${count(kSweep.planned_points)} points`],
    ['Program', kSweep.version], ['Hash of the question', kSweep.question],
  ]);
  byId('sweep-text').textContent = kSweep.text;
}

// Links to the sections that have something to show.
function setUpContents() {
  const links = [...document.querySelectorAll('main section[aria-labelledby]:not([hidden]) > h2')]
    .map((heading) => element('a', {href: `#${heading.id}`}, heading.textContent));
  byId('contents').replaceChildren(...links);
}

setUpHead();
setUpTheme();
setUpAnswer();
setUpSummary();
setUpSelection();
setUpScatter();
setUpPoint();
setUpRoofline();
setUpCompare();
setUpParallel();
setUpSensitivity();
setUpRows();
setUpTables();
setUpQuestion();
setUpContents();
