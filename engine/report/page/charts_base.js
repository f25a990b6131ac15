// What all charts have in common. A chart stands in one canvas; drawing it anew replaces it.

const kMaxTickDigits = 4;
const kMaxTooltipText = 40;
const kTickRoom = {x: 84, y: 28};  // pixels from one value written at an axis to the next
const kLetter = 6.6;       // pixels, about
const kLabelShare = 0.42;  // of the width of a chart of bars, for their names
const kLabelLines = 4;
const kLineHeight = 15;    // pixels
const kBarRoom = 9;        // pixels between two bars' names
const kPrintWidth = 600;   // pixels, about, on paper

function drawChart(canvas, label, config) {
  Chart.getChart(canvas)?.destroy();
  canvas.setAttribute('aria-label', label);
  return new Chart(canvas, {
    ...config,
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      color: colour('ink'),
      ...config.options,
      plugins: {
        legend: {display: false},
        ...config.options.plugins,
        tooltip: {...tooltipStyle(), ...config.options.plugins?.tooltip},
      },
    },
  });
}

function tooltipStyle() {
  return {
    backgroundColor: colour('ink'),
    titleColor: colour('paper'),
    bodyColor: colour('paper'),
    footerColor: colour('paper'),
    padding: 10,
    displayColors: false,
  };
}

// A numeric axis of a metric (kMetrics) whose ticks or title say the unit. `range`: of the values, [least, largest];
// without one the axis begins at zero and ends where its bars do.
function numberAxis(metric, {log = false, stacked = false, range} = {}) {
  const {label = '', text, tick = text, unit = '', binary = false} = metric;
  const [min, max] = range ? axisEnds(range, log) : [];
  const ticksOf = (axis) => {
    const room = axis.isHorizontal() ? kTickRoom.x / axis.maxWidth : kTickRoom.y / axis.maxHeight;
    return axisTicks([axis.min, axis.max], room, {log, binary}).map((value) => ({value}));
  };
  return {
    type: log ? 'logarithmic' : 'linear',
    stacked,
    beginAtZero: !range,
    ...(range ? {min, max, afterBuildTicks: (axis) => { axis.ticks = ticksOf(axis); }} : {}),
    title: {display: Boolean(label), text: unit ? `${label} [${unit}]` : label, color: colour('soft')},
    grid: {color: colour('line')},
    border: {color: colour('line')},
    ticks: {
      color: colour('soft'),
      maxRotation: 0,
      autoSkip: !range,
      autoSkipPadding: 16,
      callback: (value) => tick(Number(value.toPrecision(kMaxTickDigits))),
    },
  };
}

// An axis of names, in lines of `letters` letters. All of them are written; of values in order some may be left out.
function nameAxis(letters, {stacked = false, ordered = false} = {}) {
  return {
    stacked,
    grid: {display: false},
    border: {color: colour('line')},
    ticks: {
      color: colour('soft'),
      autoSkip: ordered,
      maxRotation: 0,
      callback(value) { return labelLines(this.getLabelForValue(value), letters); },
    },
  };
}

// Bars that lie one below the other, so that there is room for their names. `datasets` as Chart.js has them, `text`
// writes a number.
function drawBars(canvas, label, {labels, datasets, text, stacked = false}) {
  const width = Math.min(canvas.parentElement.clientWidth, printing ? kPrintWidth : Infinity);
  const letters = Math.max(16, Math.floor((width * kLabelShare) / kLetter));
  const lines = Math.max(1, ...labels.map((name) => labelLines(name, letters).length));
  canvas.parentElement.style.height = `${44 + labels.length * (lines * kLineHeight + kBarRoom)}px`;
  const sum = (items) => items.reduce((total, {raw}) => total + raw, 0);
  const edge = {borderColor: colour('paper'), borderWidth: {right: 1}, borderSkipped: false};
  drawChart(canvas, label, {
    type: 'bar',
    data: {labels, datasets: datasets.map((set) => ({maxBarThickness: 26, ...(stacked ? edge : {}), ...set}))},
    options: {
      indexAxis: 'y',
      interaction: {mode: 'index', axis: 'y'},
      plugins: {tooltip: {
        callbacks: {
          label: ({raw, dataset}) => `${dataset.label} ${Number.isFinite(raw) ? text(raw) : 'unknown'}`,
          footer: (items) => (stacked ? `Sum ${text(sum(items))}` : ''),
        },
        filter: ({raw}) => !stacked || raw > 0,
      }},
      scales: {x: numberAxis({text}, {stacked}), y: nameAxis(letters, {stacked})},
    },
  });
}

// A name in lines, broken at what stands between its words if there is such a place.
function labelLines(name, letters) {
  const lines = [];
  let rest = name;
  while (rest.length > letters && lines.length < kLabelLines - 1) {
    const end = Math.max(...[' ', '_', '/', '.', '-', ':'].map((sign) => rest.lastIndexOf(sign, letters - 1))) + 1;
    const at = end > letters / 3 ? end : letters;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at);
  }
  return [...lines, shortened(rest, letters)];
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// An entry of a legend: a sign before a text. The sign is an <i> with a class of style.css, or any other element.
function legendEntry(text, {style = '', className = '', sign = '', mark} = {}) {
  const before = mark ?? element('i', {className, textContent: sign, ariaHidden: true});
  if (style) before.style.cssText = style;
  return element('span', {}, before, text);
}
