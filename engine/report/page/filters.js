// The controls of the selection: boxes or ends for the values of a parameter, sliders for a number.

const kFewValues = 12;     // of a parameter: as boxes to tick; more of them as a first and a last one
const kSliderSteps = 1000;

function setChoices(parameter, places) {
  const {values} = kData.parameters[parameter];
  kSelection.choices[parameter] = places.size === values.length ? null : places;
}

// Boxes to tick for a parameter of few values, else the first and the last one.
function parameterFilter({name, values}, p) {
  const group = element('fieldset', {}, element('legend', {}, name));
  if (values.length <= kFewValues) {
    const boxes = values.map((value) => {
      const box = element('input', {type: 'checkbox', checked: true});
      group.append(element('label', {}, box, ` ${value}`));
      return box;
    });
    const read = () => {
      setChoices(p, new Set(boxes.flatMap((box, i) => (box.checked ? [i] : []))));
      select();
    };
    for (const box of boxes) box.addEventListener('change', read);
    group.show = () => boxes.forEach((box, i) => { box.checked = kSelection.choices[p]?.has(i) ?? true; });
    return group;
  }
  const ends = ['from', 'to'].map((word) => {
    const choice = element('select', {});
    fillSelect(choice, values.map((value, i) => [String(i), value]));
    group.append(element('label', {}, `${word} `, choice));
    return choice;
  });
  const read = () => {
    const [first, last] = ends.map(({value}) => Number(value)).toSorted((a, b) => a - b);
    setChoices(p, new Set(values.flatMap((_, i) => (i >= first && i <= last ? [i] : []))));
    select();
  };
  for (const end of ends) end.addEventListener('change', read);
  group.show = () => {
    const kept = [...(kSelection.choices[p] ?? [0, values.length - 1])];
    ends[0].value = String(Math.min(...kept));
    ends[1].value = String(Math.max(...kept));
  };
  group.show();
  return group;
}

// The ends of a metric over all points of the page, found once for each scope.
const kWholeRanges = {scope: '', of: new Map()};
function wholeRange(metric) {
  if (kWholeRanges.scope !== kSelection.scope) Object.assign(kWholeRanges, {scope: kSelection.scope, of: new Map()});
  if (!kWholeRanges.of.has(metric)) kWholeRanges.of.set(metric, rangeAmong(kPoints, metric));
  return kWholeRanges.of.get(metric);
}

// Two sliders for the least and the largest number of a metric, along a logarithm where the numbers are wide apart.
function rangeFilter(metric) {
  const {label, text} = kMetrics[metric];
  const group = element('fieldset', {}, element('legend', {}, label));
  let range = [0, 1];
  const log = () => range[0] > 0 && range[1] > 3 * range[0];
  const numberAt = (step) => {
    const along = step / kSliderSteps;
    return log() ? range[0] * (range[1] / range[0]) ** along : range[0] + (range[1] - range[0]) * along;
  };
  const stepOf = (x) => Math.round(kSliderSteps * (log() ? Math.log(x / range[0]) / Math.log(range[1] / range[0])
    : (x - range[0]) / (range[1] - range[0])));
  const sliders = ['at least', 'at most'].map((word, i) => {
    const slider = element('input', {type: 'range', min: 0, max: kSliderSteps, step: 1, value: i * kSliderSteps,
      ariaLabel: `${label} ${word}`});
    const said = element('output', {});
    group.append(element('label', {}, `${word} `, slider, ' ', said));
    return {slider, said};
  });
  const say = () => sliders.forEach(({slider, said}) => { said.textContent = text(numberAt(Number(slider.value))); });
  const read = () => {
    say();
    const [low, high] = sliders.map(({slider}) => Number(slider.value));
    if (low <= 0 && high >= kSliderSteps) kSelection.ranges.delete(metric);
    else kSelection.ranges.set(metric, [low <= 0 ? -Infinity : numberAt(low),
      high >= kSliderSteps ? Infinity : numberAt(high)]);
    soon(select);
  };
  for (const {slider} of sliders) slider.addEventListener('input', read);
  group.show = () => {
    range = wholeRange(metric);
    const [low, high] = kSelection.ranges.get(metric) ?? [-Infinity, Infinity];
    sliders[0].slider.value = low === -Infinity ? 0 : stepOf(low);
    sliders[1].slider.value = high === Infinity ? kSliderSteps : stepOf(high);
    say();
  };
  group.show();
  return group;
}

const fillRanges = () => [...byId('selection-filters').children].forEach((group) => group.show());

function resetSelection() {
  kSelection.choices.fill(null);
  kSelection.ranges.clear();
  fillRanges();
  select();
}

function setUpSelection() {
  byId('selection').hidden = kPoints.length === 0;
  const all = scopes();
  fillSelect(byId('scope'), all, kAll);
  byId('scope-label').hidden = all.length === 1;
  byId('scope').addEventListener('change', ({target}) => setScope(target.value));
  const telling = kData.parameters.map((parameter, p) => [parameter, p]).filter(([{values}]) => values.length > 1);
  byId('selection-filters').replaceChildren(
    ...telling.map(([parameter, p]) => parameterFilter(parameter, p)),
    ...[...kCostMetrics, 'capacity_bytes', 'compute_units'].filter(varies).map(rangeFilter));
  byId('selection-reset').addEventListener('click', resetSelection);
  byId('save-csv').addEventListener('click', () => save(csvText(selectionRows()), 'text/csv', 'csv'));
  byId('save-json').addEventListener('click', () => save(jsonText(selectionRows()), 'application/json', 'json'));
  byId('selection-text').textContent = selectionText();
}
