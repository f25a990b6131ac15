// Where the energy of a design point goes: bars for the parts of the machine, outermost first, within a bar the tensors
// and what belongs to none of them.

const kNoTensor = '';
const kLeakage = 'leakage';
const kOtherTensors = Symbol('other tensors');

// Tensors of all points of the page, [place of the fill], so that a tensor has one fill whichever point and workload is
// shown. Where nests say roles, inputs, outputs and weights have the first three hues, as in the other pictures of the
// program, those of further workloads with a pattern; where they do not, the order is that of the data.
const kTensors = (() => {
  const names = [...new Set(kData.details.flatMap(({workloads}) => workloads.flatMap(({parts}) =>
    parts.flatMap(({energy_pj: energies}) => Object.keys(energies)))))]
    .filter((name) => ![kNoTensor, kLeakage].includes(name));
  const roles = new Map(kData.details.flatMap(({layers}) => layers.flatMap(({mapping}) => (mapping ?? []).flatMap(
    ({room}) => (room?.words ?? []).map(([tensor, , role]) => [tensor, role])))));
  const places = [];
  const put = (name, candidates) => {
    const free = candidates.find((place) => places[place] === undefined);
    if (free !== undefined) places[free] = name;
    return free !== undefined;
  };
  const hues = roles.size > 0 ? ['input', 'output', 'weight'] : [];
  const rest = names.filter((name) => {
    const hue = hues.indexOf(roles.get(name));
    return hue < 0 || !put(name, kFills.map((_, k) => hue + k * kHues));
  });
  const others = Array.from({length: names.length + kMaxDistinctFills}, (_, place) => place);
  const ofNoRole = others.filter((place) => place >= kMaxDistinctFills || place % kHues >= hues.length);
  for (const name of rest) put(name, ofNoRole);
  return places;
})();

// The last fill is that of all tensors behind, if there are any.
const kHasOthers = kTensors.length > kMaxDistinctFills;
const isOther = (place) => kHasOthers && place >= kMaxDistinctFills - 1;
const kOthers = kTensors.filter((name, place) => name !== undefined && isOther(place));

function seriesOf(tensor) {
  const place = kTensors.indexOf(tensor);
  return place >= 0 && isOther(place) ? kOtherTensors : tensor;
}

function seriesName(series) {
  if (series === kNoTensor) return 'of no tensor';
  return series === kOtherTensors ? `${count(kOthers.length)} other tensors` : series;
}

function seriesFill(series) {
  if (series === kNoTensor) return colour('none');
  if (series === kLeakage) return fill(colour('none'), 'stripes');
  return distinctFill(series === kOtherTensors ? kMaxDistinctFills - 1 : kTensors.indexOf(series));
}

// The energy of the machine's parts, by series, over the workloads asked: [{name, energy: Map of series to pJ}].
function partsOf({parts, workloads}, asked) {
  const sums = parts.map((name) => ({name, energy: new Map()}));
  for (const workload of workloads.filter(({name}) => asked(name))) {
    for (const {name, energy_pj: energies} of workload.parts) {
      const {energy} = sums[parts.indexOf(name)];
      for (const [tensor, pj] of Object.entries(energies)) {
        energy.set(seriesOf(tensor), (energy.get(seriesOf(tensor)) ?? 0) + pj);
      }
    }
  }
  return sums;
}

// Tensors in the order of their fills, then leakage and the rest.
function seriesIn(parts) {
  const rank = (series) => [kLeakage, kNoTensor].indexOf(series) * kTensors.length * 2
    + (series === kOtherTensors ? kTensors.length : kTensors.indexOf(series));
  return [...new Set(parts.flatMap(({energy}) => [...energy.keys()].filter((one) => energy.get(one) > 0)))]
    .toSorted((a, b) => rank(a) - rank(b));
}

function drawEnergy(detail, asked) {
  const parts = partsOf(detail, asked);
  const series = seriesIn(parts);
  drawBars(byId('point-energy'), `Energy by level and tensor of point ${detail.id}`, {
    labels: parts.map(({name}) => name),
    datasets: series.map((one) => ({
      label: seriesName(one),
      data: parts.map(({energy}) => energy.get(one) ?? 0),
      backgroundColor: seriesFill(one),
    })),
    text: energyText,
    stacked: true,
  });
  byId('energy-legend').replaceChildren(
    ...series.map((one) => legendEntry(seriesName(one), {mark: swatch(seriesFill(one))})));
  fillEnergyTable(parts, series);
}

function fillEnergyTable(parts, series) {
  const sum = ({energy}) => [...energy.values()].reduce((total, pj) => total + pj, 0);
  const all = parts.reduce((total, part) => total + sum(part), 0);
  const written = (pj) => (pj > 0 ? energyText(pj) : '');
  fillTable(byId('energy-table'), [
    {title: 'Level', text: 'text', key: (part) => part.name, cell: (part) => part.name},
    {title: 'Sum', key: sum, cell: (part) => written(sum(part))},
    {title: 'Share', key: sum, cell: (part) => (all > 0 ? percentText(sum(part) / all) : '')},
    ...series.map((one) => ({
      title: seriesName(one),
      key: (part) => part.energy.get(one) ?? 0,
      cell: (part) => written(part.energy.get(one) ?? 0),
    })),
  ], parts);
}
