// One design point: its numbers, where its energy goes, its layers; of all workloads or of one.

let chosen = null;  // a point of kPoints
const kAllWorkloads = 'all';  // "one:NAME" stands for one of them, whatever it is called

function choosePoint(point) {
  chosen = point;
  const select = byId('point-choice');
  const missing = ![...select.options].some((option) => option.value === String(point.id));
  if (missing) select.append(element('option', {value: String(point.id)}, pointLabel(point)));
  select.value = String(point.id);
  showPoint();
  drawRoofline();
}

function pointLabel(point) {
  const rank = kBest.indexOf(point) + 1;
  const kinds = [rank === 1 ? 'best' : rank > 1 ? `best ${rank}` : '', kFrontIds.has(point.id) ? 'front' : '']
    .filter((kind) => kind);
  const settings = settingsOf(point).map(([name, value]) => `${name} ${value}`).join(', ');
  return `${count(point.id)}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}${settings && `: ${settings}`}`;
}

function showPoint() {
  fillList(byId('point-facts'), [
    ...settingsOf(chosen),
    ...kAxisMetrics.filter((metric) => chosen[metric] > 0)
      .map((metric) => [kMetrics[metric].label, kMetrics[metric].text(chosen[metric])]),
    ...rateEntries(chosen, scopeOperations()),
    ...(statusText(chosen) ? [['Status', statusText(chosen)]] : []),
    ...(gapText(chosen) ? [['Gap to the lower bound', gapText(chosen)]] : []),
    ...(chosen.least_words > 0
      ? [['Words moved over the least possible', distanceText(distanceOf(chosen))]] : []),
  ]);
  const detail = kDetails.get(chosen.id);
  byId('point-charts').hidden = byId('point-energy-details').hidden = byId('point-layers-details').hidden
    = byId('point-mapping-details').hidden = !detail;
  byId('point-note').textContent = detail
    ? 'In the charts energies and delays of a layer are those of all its runs, times its workload\'s weight.'
    : 'The page holds layers of the best points and of the Pareto front only; those of this one are in the database.';
  for (const row of document.querySelectorAll('tr[data-id]')) {
    row.classList.toggle('chosen', row.dataset.id === String(chosen.id));
  }
  const workloads = detail ? workloadsOf(detail) : [];
  byId('workload-label').hidden = workloads.length < 2;
  if (!detail) return;
  fillSelect(byId('workload-choice'),
    [[kAllWorkloads, `all ${count(workloads.length)}`], ...workloads.map((name) => [`one:${name}`, name])]);
  fillSelect(byId('layer-rows'), [['layer', 'layer'], ...(workloads.length > 1 ? [['workload', 'workload']] : [])]);
  showParts();
}

function showParts() {
  const detail = kDetails.get(chosen.id);
  const choice = byId('workload-choice').value;
  const asked = (workload) => choice === kAllWorkloads || choice === `one:${workload}`;
  drawLayers(detail, asked);
  drawEnergy(detail, asked);
  fillLayerTable(detail, asked);
  drawMapping(detail, asked);
}

function setUpPoint() {
  if (kPoints.length === 0) {
    byId('point-heading').parentElement.hidden = true;
    return;
  }
  const listed = [...new Set([...kBest, ...kFront])].filter((point) => kDetails.has(point.id));
  fillSelect(byId('point-choice'), listed.map((point) => [String(point.id), pointLabel(point)]));
  fillSelect(byId('layer-metric'), Object.entries(kLayerMetrics).map(([name, {label}]) => [name, label]));
  byId('point-choice').addEventListener('change', (event) => choosePoint(kPointOfId.get(Number(event.target.value))));
  for (const id of ['workload-choice', 'layer-rows', 'layer-metric']) byId(id).addEventListener('change', showParts);
  chosen = kBest[0];
  byId('point-choice').value = String(chosen.id);
  followSelection(byId('point-heading'), showPoint);
}
