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
  const known = Object.values(states).reduce((sum, n) => sum + n, 0);
  const entries = [];
  if (best) {
    entries.push(['Best point', count(best.id), gapText(best) && `gap ${gapText(best)}`]);
    if (kHasValue) {
      if (kIsProduct && kSweep.rank !== 'totals') {
        entries.push([`${kObjective.label} of totals`,
          kObjective.text(best.energy_pj * best.delay ** kSweep.cycles_power * best.area_um2 ** (kSweep.area_power ?? 0))]);
      }
    }
  }
  entries.push(['Points', count(known), known < kSweep.shard_points
    ? `of ${count(kSweep.shard_points)} planned: not finished` : 'all that were planned']);
  for (const [state, label] of Object.entries(kStateLabels)) {
    if (states[state] > 0 || state === 'done') entries.push([label, count(states[state])]);
  }
  if (kFront.length > 0) entries.push(['Pareto front', count(kFront.length), unprovenText(kFront)]);
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
