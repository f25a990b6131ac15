// The loop nest of a layer's best mapping: levels with what they keep, and their loops, inner ones further right.

const kIndent = 0.9;      // rem, of a loop in another
const kMostIndents = 20;  // deeper loops stand below each other

function drawMapping(detail, asked) {
  const layers = detail.layers.filter(({workload, mapping}) => asked(workload) && mapping);
  byId('point-mapping-details').hidden = layers.length === 0;
  if (layers.length === 0) return;
  const several = workloadsOf(detail).filter(asked).length > 1;
  const nameOf = ({workload, name}) => (several ? `${workload}: ${name}` : name);
  const select = byId('mapping-layer');
  fillSelect(select, layers.map((layer, i) => [String(i), nameOf(layer)]));
  const show = () => byId('mapping').replaceChildren(...nestOf(layers[Number(select.value)].mapping));
  select.onchange = show;
  show();
}

// A tensor in the hue that it has in the charts.
function tensorTag(name) {
  const tag = element('span', {className: 'tensor'}, name);
  const place = kTensors.indexOf(name);
  tag.style.borderLeftColor = place < 0 ? 'var(--none)' : `var(--c${place % kHues})`;
  return tag;
}

function nestOf(levels) {
  let depth = 0;
  const line = (className, text) => {
    const made = element('div', {className}, text);
    made.style.marginLeft = `${Math.min(depth, kMostIndents) * kIndent}rem`;
    return made;
  };
  return levels.flatMap(({level, keep, loops, x, y}) => {
    const head = element('div', {className: 'level'}, element('strong', {}, level),
      ...(keep.length > 0 ? keep.map(tensorTag) : [element('span', {className: 'note'}, 'keeps nothing')]));
    const lines = loops.map((text) => {
      const made = line('loop', `for ${text}`);
      depth += 1;
      return made;
    });
    const across = [['X', x], ['Y', y]].filter(([, spatial]) => spatial.length > 0)
      .map(([axis, spatial]) => line('across', `across ${axis}: ${spatial.join(', ')}`));
    if (across.length > 0) depth += 1;
    return [head, ...lines, ...across];
  });
}
