// The first screen: the question, the answer, by how much it is ahead, and how sure it is.

const settingsText = (point) => settingsOf(point).map(([name, value]) => `${name} ${value}`).join(', ');
const timesText = (ratio) => `${digits(Number(ratio.toPrecision(3)))} ×`;

function medianOf(sorted) {
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1].value + sorted[half].value) / 2 : sorted[Math.floor(half)].value;
}

// ", with at most 5 mJ and 0.7 ms each"; "" without limits.
function limitsText() {
  const {energy, delay, power} = kSweep.limits;
  const most = [
    ...(energy === null ? [] : [energyText(energy)]),
    ...(delay === null ? [] : [delayText(delay)]),
    ...(power === null ? [] : [kSweep.seconds ? wattsText(power) : `${digits(power)} pJ a cycle`]),
  ];
  return most.length === 0 ? '' : `, with at most ${listText(most)}${kHasMean ? ' each' : ''}`;
}

const listText = (texts) => (texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`);

function questionText() {
  const workloads = [...new Set(kLayers.map(({workload}) => workload))];
  const work = workloads.length === 0 ? '' : workloads.length <= 3 ? ` for ${listText(workloads)}`
    : ` for ${count(workloads.length)} workloads`;
  const grid = `${count(kSweep.grid_points)} machines`;
  const planned = kSweep.planned_points < kSweep.grid_points ? `${count(kSweep.planned_points)} of a grid of ${grid}`
    : grid;
  return `Which of ${planned} has the least ${valueWords(kSweep)}${work}${limitsText()}?`;
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
  const what = valueWords(kSweep);
  const sample = kSweep.planned_points < kSweep.grid_points ? ' The sweep looks at a sample of the grid only.' : '';
  const rest = `${frontCertainty()}${sample}`;
  if (kLeft > 0) {
    const bound = least > 0 ? ` Of those that were, none has less than ${kObjective.text(least)}.` : '';
    return [kData.decided.progress === 'running' ? 'best so far' : 'best so far, not all points', 'open',
      `${leftText()}${bound}${rest}`];
  }
  if (best.status === 'best') {
    return ['proven', 'sure', `Of all ${count(kData.decided.machines)} machines none has less ${what}: each was searched, or `
      + `left out by what is proven of a set of machines that it belongs to.${rest}`];
  }
  if (rivals === 0) {
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

function leftText() {
  const {progress, machines} = kData.decided;
  const about = kSweep.shards > 1 ? 'about ' : '';
  const why = progress === 'running' ? 'the sweep is at work' : 'the sweep was ended early; sweep --resume goes on';
  return `${count(machines)} of ${about}${count(kSweep.shard_points)} machines are decided, the others may be better: `
    + `${why}.`;
}

// How far the front is certain, where the sweep was to make it so.
function frontCertainty() {
  const {certain, open} = kData.decided;
  if (!kSweep.certifies_front) return '';
  return open > 0 ? ` The Pareto front is certain to ${count(certain)} of ${count(certain + open)} points.`
    : ` The Pareto front of ${count(certain)} points is certain${kLeft > 0 ? ' among these' : ''}.`;
}

// Why there is no best point.
function setUpNoAnswer() {
  byId('answer-text').textContent = kLeft > 0 ? 'None so far' : 'None of them';
  const reasons = kData.outcomes.filter(({points}) => points > 0)
    .map(({state, points, reason}) => (reason.startsWith('outside') ? `${count(points)} ${reason}`
      : `${count(points)} ${state}${reason ? ` (${reason})` : ''}`));
  byId('answer-badge').textContent = kLeft > 0 ? 'not all points' : 'no machine';
  byId('answer-badge').className = 'badge open';
  byId('answer-proof').textContent = [...(kLeft > 0 ? [leftText()] : []),
    ...(reasons.length > 0 ? [`Looked at: ${listText(reasons)}.`] : [])].join(' ');
  byId('answer-show').hidden = byId('answer-compare').hidden = true;
}

function setUpAnswer() {
  const [best] = kBest;
  byId('answer-question').textContent = questionText();
  if (!best) return setUpNoAnswer();
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
