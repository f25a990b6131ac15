// Parallel coordinates: an axis for each parameter and cost, a line for each point, coloured as in the trade-offs.
// Dragging along an axis keeps the points that pass there.

const kMaxLines = 3000;      // drawn; of more a fair sample, and always the best and the front
const kLineShare = 0.35;     // opacity of a line
const kAxisMargin = {top: 34, bottom: 26, left: 60, right: 60};
const kLeastDrag = 4;        // pixels; less is a click

const kParallel = {axes: [], drag: null};

// {label, of(point): 0 .. 1 or nothing, low, high, filter(from, to), kept: [from, to] or nothing}, each with its place.
function parallelAxes() {
  const parameters = kData.parameters.map(({name, values}, p) => ({
    label: name,
    of: (point) => (values.length > 1 ? point.choice(p) / (values.length - 1) : 0.5),
    low: values[0], high: values.at(-1),
    filter: (range) => setChoices(p, new Set(values.flatMap((_, i) => {
      const at = values.length > 1 ? i / (values.length - 1) : 0.5;
      return !range || (at >= range[0] && at <= range[1]) ? [i] : [];
    }))),
    kept: () => {
      const kept = kSelection.choices[p];
      return kept && values.length > 1
        ? [Math.min(...kept) / (values.length - 1), Math.max(...kept) / (values.length - 1)] : null;
    },
    telling: values.length > 1,
  }));
  const metrics = kAxisMetrics.map((metric) => {
    const [low, high] = wholeRange(metric);
    const log = isWideRange([low, high]);
    const of = (x) => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
    const back = (at) => (log ? low * (high / low) ** at : low + (high - low) * at);
    const {label, text} = kMetrics[metric];
    return {
      label, of: (point) => of(point[metric]), low: text(low), high: text(high), telling: high > low,
      filter: (range) => (range ? kSelection.ranges.set(metric, [back(range[0]), back(range[1])])
        : kSelection.ranges.delete(metric)),
      kept: () => {
        const kept = kSelection.ranges.get(metric);
        return kept ? [Math.max(0, of(Math.max(low, kept[0]))), Math.min(1, of(Math.min(high, kept[1])))] : null;
      },
    };
  });
  return [...parameters, ...metrics].filter(({telling}) => telling);
}

// A fair sample of points, the same each time.
function sampled(points, most) {
  if (points.length <= most) return points;
  const step = points.length / most;
  return Array.from({length: most}, (_, i) => points[Math.floor(i * step)]);
}

function drawParallel() {
  const canvas = byId('parallel');
  const box = canvas.parentElement;
  const width = printing ? kPrintWidth + 60 : box.clientWidth, height = box.clientHeight, ratio = devicePixelRatio || 1;
  Object.assign(canvas, {width: width * ratio, height: height * ratio});
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  const axes = kParallel.axes = parallelAxes();
  const {top, bottom, left, right} = kAxisMargin;
  axes.forEach((axis, i) => {
    axis.x = left + (axes.length > 1 ? i / (axes.length - 1) : 0.5) * (width - left - right);
    axis.y = (at) => height - bottom - at * (height - top - bottom);
  });
  const colours = scatterColours();
  const front = frontShown(), best = bestShown();
  const lines = [...new Set([...sampled(shown(), kMaxLines), ...(front.length < kManyFront ? front : [])])];
  const path = (point) => {
    context.beginPath();
    axes.forEach((axis, i) => (i === 0 ? context.moveTo(axis.x, axis.y(axis.of(point)))
      : context.lineTo(axis.x, axis.y(axis.of(point)))));
    context.stroke();
  };
  context.globalAlpha = Math.min(0.8, Math.max(0.08, kLineShare * Math.sqrt(600 / Math.max(1, lines.length))));
  context.lineWidth = 1;
  for (const point of lines) {
    context.strokeStyle = shadeOfPoint(colours, point);
    path(point);
  }
  context.globalAlpha = 1;
  if (best) {
    context.strokeStyle = colour('best');
    context.lineWidth = 3;
    path(best);
  }
  for (const axis of axes) drawParallelAxis(context, axis, axes.length, width);
  byId('parallel-legend').replaceChildren(legendEntry('best point', {className: 'line best-line'}), ...colours.legend);
  byId('parallel-note').textContent = lines.length < shown().length
    ? `${count(lines.length)} of the ${count(shown().length)} points selected are drawn, a fair sample and the front.`
    : '';
  canvas.setAttribute('aria-label', `Parallel coordinates of ${count(lines.length)} points: ${
    axes.map(({label}) => label).join(', ')}`);
}

function drawParallelAxis(context, axis, axes, width) {
  context.strokeStyle = colour('soft');
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(axis.x, axis.y(0));
  context.lineTo(axis.x, axis.y(1));
  context.stroke();
  const kept = axis.kept();
  if (kept) {
    context.strokeStyle = colour('accent');
    context.lineWidth = 6;
    context.beginPath();
    context.moveTo(axis.x, axis.y(kept[0]) + 3);
    context.lineTo(axis.x, axis.y(kept[1]) - 3);
    context.stroke();
  }
  const letters = Math.max(6, Math.floor(width / axes / kLetter));
  context.textAlign = 'center';
  context.fillStyle = colour('ink');
  context.font = '600 12px system-ui, sans-serif';
  context.fillText(shortened(axis.label, letters), axis.x, 13);
  context.fillStyle = colour('soft');
  context.font = '11px system-ui, sans-serif';
  context.fillText(shortened(String(axis.high), letters), axis.x, axis.y(1) - 6);
  context.fillText(shortened(String(axis.low), letters), axis.x, axis.y(0) + 15);
}

function setUpParallel() {
  byId('parallel-heading').parentElement.hidden = kPoints.length < 2 || parallelAxes().length < 2;
  if (byId('parallel-heading').parentElement.hidden) return;
  const canvas = byId('parallel');
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const fraction = (axis, y) => Math.min(1, Math.max(0, (axis.y(0) - y) / (axis.y(0) - axis.y(1))));
  canvas.addEventListener('pointerdown', (event) => {
    const [x, y] = at(event);
    const axis = kParallel.axes.reduce((a, b) => (Math.abs(b.x - x) < Math.abs(a.x - x) ? b : a));
    if (Math.abs(axis.x - x) > 24) return;
    kParallel.drag = {axis, from: y};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointerup', (event) => {
    if (!kParallel.drag) return;
    const {axis, from} = kParallel.drag;
    const [, y] = at(event);
    kParallel.drag = null;
    const range = [fraction(axis, from), fraction(axis, y)].toSorted((a, b) => a - b);
    axis.filter(Math.abs(y - from) < kLeastDrag ? null : range);
    fillRanges();
    select();
  });
  const panel = followSelection(canvas, drawParallel);
  byId('scatter-colour').addEventListener('change', () => follow([panel]));
  let width = 0;
  new ResizeObserver(() => {
    const now = canvas.parentElement.clientWidth;
    if (now !== width && !printing) follow([panel]);
    width = now;
  }).observe(canvas.parentElement);
}
