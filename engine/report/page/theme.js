// Colours. Charts are drawn on canvases, which know no style sheets: they read the page's colours and are drawn anew
// when the reader's colour scheme changes or the page is printed.

const kDarkScheme = matchMedia('(prefers-color-scheme: dark)');
const kSeriesColours = 8;

// Viridis at even distances, dark to light: grows evenly in lightness, for any colour vision and in grey.
const kViridis = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

let printing = false;
const redraws = [];

const isDark = () => kDarkScheme.matches && !printing;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const seriesColour = (i) => colour(`c${i % kSeriesColours}`);

// Of a fraction of the scale. The end that would vanish in the background is left out.
function scaleColour(fraction) {
  const [low, high] = isDark() ? [0.22, 1] : [0, 0.92];
  const at = (low + (high - low) * Math.min(1, Math.max(0, fraction))) * (kViridis.length - 1);
  const i = Math.min(Math.floor(at), kViridis.length - 2);
  const mixed = kViridis[i].map((c, k) => Math.round(c + (kViridis[i + 1][k] - c) * (at - i)));
  return `rgb(${mixed.join(' ')})`;
}

// Draws now, and again whenever the colours change.
function drawn(draw) {
  redraws.push(draw);
  draw();
}

function redrawAll() {
  for (const draw of redraws) draw();
}

kDarkScheme.addEventListener('change', redrawAll);
for (const [event, state] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(event, () => {
    printing = state;
    redrawAll();
  });
}
