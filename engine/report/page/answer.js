// The first screen: the question, the answer, by how much it is ahead, and how sure it is.

const settingsText = (point) => settingsOf(point).map(([name, value]) => `${name} ${value}`).join(', ');
const timesText = (ratio) => `${digits(Number(ratio.toPrecision(3)))} ×`;

function medianOf(sorted) {
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1].value + sorted[half].value) / 2 : sorted[Math.floor(half)].value;
}

// The same in words for products of energy and delay.
const objectiveWords = () => (kHasValue ? kMetrics.value.label : kMetrics.value.label.toLowerCase());

function questionText() {
  const workloads = [...new Set(kLayers.map(({workload}) => workload))];
  const work = workloads.length === 0 ? '' : workloads.length <= 3 ? ` for ${workloads.join(', ')}`
    : ` for ${count(workloads.length)} workloads`;
  const grid = `${count(kSweep.grid_points)} machines`;
  const planned = kSweep.planned_points < kSweep.grid_points ? `${count(kSweep.planned_points)} of a grid of ${grid}`
    : grid;
  return `Which of ${planned} has the least ${objectiveWords()}${work}?`;
}

// How far the best is ahead of the second, and of the middle of all.
function leadText(best) {
  const points = byValue();
  if (points.length < 2) return '';
  const second = kBest[1];
  const ahead = second ? percentText(second.value / best.value - 1) : '';
  const next = !second ? '' : second.value === best.value ? `Point ${count(second.id)} is as good.`
    : `The second best, point ${count(second.id)} (${settingsText(second)}), has ${ahead} more.`;
  return `${next} The median of the mapped points is ${timesText(medianOf(points) / best.value)} the best, the `
    + `largest ${timesText(points.at(-1).value / best.value)}.`;
}

// [badge, class of it, why]: how sure the answer is.
function certaintyOf(best) {
  const {least_bound: least, rivals} = kData.certainty;
  const known = Object.values(kData.states).reduce((sum, n) => sum + n, 0);
  const left = kSweep.shard_points - known;
  const what = objectiveWords();
  const unfinished = left > 0 ? ` ${count(left)} planned points have not been looked at yet.` : '';
  const sample = kSweep.planned_points < kSweep.grid_points ? ' The sweep looks at a sample of the grid only.' : '';
  const rest = `${unfinished}${sample}`;
  if (rivals === 0 && left <= 0) {
    const gap = gapOf(best);
    const value = isProven(best) ? 'its value is its lower bound'
      : Number.isFinite(gap) ? `its own may still fall by ${percentText(1 - best.lower_bound / best.value)} at most`
        : 'how far its own value may fall is not known';
    return ['proven', 'sure', `No other point can have less ${what}: the lower bounds of all others are at or above `
      + `this value; ${value}.${rest}`];
  }
  if (least > 0) {
    const most = `No mapping on any point looked at has less than ${kObjective.text(least)}: the best found is at `
      + `most ${percentText(best.value / least - 1)} above that.`;
    const others = rivals > 0
      ? ` ${count(rivals)} other ${rivals === 1 ? 'point' : 'points'} might still win with better mappings.` : '';
    return ['bounded', 'bounded', `${most}${others}${rest}`];
  }
  return ['found, not proven', 'open', `Of some points no lower bound is known: ${count(rivals)} might still win with `
    + `better mappings.${rest}`];
}

function setUpAnswer() {
  const [best] = kBest;
  byId('answer').hidden = !best;
  if (!best) return;
  byId('answer-question').textContent = questionText();
  byId('answer-text').textContent = kData.parameters.length > 0 ? settingsText(best) : pointTitle(best);
  fillList(byId('answer-figures'), [
    ...(kHasValue ? [[kMetrics.value.label, kObjective.text(best.value)]] : []),
    ['Energy', energyText(best.energy_pj)],
    ['Delay', delayText(best.delay)],
    ...(best.area_um2 > 0 ? [['Area', areaText(best.area_um2)]] : []),
    ...rateEntries(best),
  ]);
  byId('answer-lead').textContent = leadText(best);
  const [badge, kind, why] = certaintyOf(best);
  byId('answer-badge').textContent = badge;
  byId('answer-badge').className = `badge ${kind}`;
  byId('answer-proof').textContent = why;
  byId('answer-show').addEventListener('click', () => {
    choosePoint(best);
    byId('point-heading').scrollIntoView();
  });
  byId('answer-compare').hidden = kBest.length < 2;
  byId('answer-compare').addEventListener('click', () => comparePoints(best, kBest[1]));
}
