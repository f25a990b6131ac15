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
  const show = () => {
    const {mapping} = layers[Number(select.value)];
    byId('mapping').replaceChildren(...nestOf(mapping));
    const known = mapping.some(({room}) => room);
    byId('mapping-note').textContent = known ? '' : `How full the levels are is not known: ${kData.why_no_rooms}.`;
  };
  select.onchange = show;
  show();
}

function hueOf(tensor) {
  const place = kTensors.indexOf(tensor);
  return place < 0 ? 'var(--none)' : `var(--c${place % kHues})`;
}

// A tensor in the hue that it has in the charts.
function tensorTag(name) {
  const tag = element('span', {className: 'tensor'}, name);
  tag.style.borderLeftColor = hueOf(name);
  return tag;
}

// How full one instance of a level is, by tensor: a bar of which all is the room, and the words.
function roomBar({used, capacity, words}) {
  const text = capacity === null ? `${count(used)} words, no limit`
    : `${count(used)} of ${count(capacity)} words, ${percentText(used / capacity)}`;
  const note = element('span', {className: 'note'}, text);
  if (capacity === null) return [note];
  const bar = element('span', {className: 'room', role: 'img', ariaLabel: text});
  for (const [tensor, tile] of words) {
    const part = element('span', {title: `${tensor}: ${count(tile)} words`});
    part.style.width = `${100 * tile / capacity}%`;
    part.style.background = hueOf(tensor);
    bar.append(part);
  }
  return [bar, note];
}

function nestOf(levels) {
  let depth = 0;
  const line = (className, text) => {
    const made = element('div', {className}, text);
    made.style.marginLeft = `${Math.min(depth, kMostIndents) * kIndent}rem`;
    return made;
  };
  return levels.flatMap(({level, keep, room, loops, x, y}) => {
    const head = element('div', {className: 'level'}, element('strong', {}, level),
      ...(keep.length > 0 ? keep.map(tensorTag) : [element('span', {className: 'note'}, 'keeps nothing')]),
      ...(room ? roomBar(room) : []));
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
