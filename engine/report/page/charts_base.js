// What all charts have in common. A chart stands in one canvas; drawing it anew replaces it.

const kMaxTickDigits = 3;
const kMaxLabel = 16;        // characters of a name beside an axis
const kMaxTooltipText = 40;

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

function legendStyle() {
  return {display: true, position: 'bottom', labels: {color: colour('ink'), usePointStyle: true, boxHeight: 8}};
}

// A numeric axis of a metric (kMetrics) whose ticks or title say the unit.
function numberAxis({label = '', text, tick = text, unit = ''}, {log = false, stacked = false, zero = false} = {}) {
  return {
    type: log ? 'logarithmic' : 'linear',
    stacked,
    beginAtZero: zero,
    title: {display: Boolean(label), text: unit ? `${label} [${unit}]` : label, color: colour('soft')},
    grid: {color: colour('line')},
    border: {color: colour('line')},
    ticks: {
      color: colour('soft'),
      maxRotation: 0,
      autoSkipPadding: 16,
      callback(value, index, ticks) {
        return log && !isRoundTick(value, ticks) ? '' : tick(Number(value.toPrecision(kMaxTickDigits)));
      },
    },
  };
}

// On a logarithmic axis over more than a decade only 1, 2 and 5 are written.
function isRoundTick(value, ticks) {
  const decades = Math.log10(ticks.at(-1).value / ticks[0].value);
  const leading = Number(value.toExponential(6).split('e')[0]);
  return decades < 1 || (decades < 3 ? [1, 2, 5] : [1]).includes(leading);
}

function categoryAxis({stacked = false} = {}) {
  return {
    stacked,
    grid: {display: false},
    border: {color: colour('line')},
    ticks: {color: colour('soft'), callback(value) { return shortened(this.getLabelForValue(value), kMaxLabel); }},
  };
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
