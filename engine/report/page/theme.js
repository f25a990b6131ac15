// Colours. Charts are drawn on canvases, which know no style sheets: they read the page's colours and are drawn anew
// when the reader's colour scheme changes or the page is printed: a canvas is a picture of a fixed size, so before that
// the page takes the width of the paper (.printing in style.css).
//
// What a colour stands for, on the whole page: a hue of --c0.. is a tensor, a shade of purple a level of the memory,
// grey is what belongs to no tensor and no level, viridis is the size of a number or the place of a parameter's value.

const kDarkScheme = matchMedia('(prefers-color-scheme: dark)');
const kHues = 7;
const kFills = ['solid', 'stripes', 'dots'];
const kPatternSize = 8;  // pixels

// Viridis at even distances, dark to light: grows evenly in lightness, for any colour vision and in grey.
const kViridis = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const kLevels = [[52, 28, 105], [128, 105, 190], [214, 204, 238]];  // purple, dark to light

let printing = false;
const redraws = [];

// What the reader chose: the system's scheme, light or dark.
const kThemes = [['', 'as the system'], ['light', 'light'], ['dark', 'dark']];
const chosenTheme = () => document.documentElement.dataset.theme ?? '';

const isDark = () => !printing && (chosenTheme() === 'dark' || (chosenTheme() === '' && kDarkScheme.matches));
// Asked of the style sheet once a scheme: each time costs as much as a small chart.
const kColours = new Map();
function colour(name) {
  const key = `${chosenTheme()} ${kDarkScheme.matches} ${printing} ${name}`;
  if (!kColours.has(key)) {
    kColours.set(key, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return kColours.get(key);
}

// A fill for the i-th of things that have no order: another hue, then the hues again with stripes, then with dots.
const kMaxDistinctFills = kHues * kFills.length;
const distinctFill = (i) => fill(colour(`c${i % kHues}`), kFills[Math.floor(i / kHues)]);

// A fill for the i-th of n things in order: the outermost level stands out most.
const orderedFill = (i, n) => blend(isDark() ? kLevels.toReversed() : kLevels, n > 1 ? i / (n - 1) : 0);

// A colour with a pattern of the paper's colour over it, for canvases.
function fill(ink, pattern) {
  if (pattern === 'solid') return ink;
  const size = kPatternSize;
  const tile = Object.assign(document.createElement('canvas'), {width: size, height: size});
  const context = tile.getContext('2d');
  context.fillStyle = ink;
  context.fillRect(0, 0, size, size);
  context.fillStyle = context.strokeStyle = colour('paper');
  context.lineWidth = size / 4;
  context.beginPath();
  if (pattern === 'dots') {
    context.arc(size / 2, size / 2, size / 4, 0, 2 * Math.PI);
    context.fill();
  } else {
    for (const shift of [-size, 0, size]) {
      context.moveTo(shift - 1, size + 1);
      context.lineTo(shift + size + 1, -1);
    }
    context.stroke();
  }
  return context.createPattern(tile, 'repeat');
}

// A small square of a fill, for legends.
function swatch(ink) {
  const square = element('canvas', {className: 'swatch', width: 2 * kPatternSize, height: 2 * kPatternSize});
  const context = square.getContext('2d');
  context.fillStyle = ink;
  context.fillRect(0, 0, square.width, square.height);
  return square;
}

// The colour at a fraction of the scale. The end that would vanish in the background is left out.
function scaleColour(fraction) {
  const [low, high] = isDark() ? [0.22, 1] : [0, 0.92];
  return blend(kViridis, low + (high - low) * Math.min(1, Math.max(0, fraction)));
}

// The scale as a number of shades, for pictures of very many points, and the shade at a fraction.
const shadesOfScale = (shades) => Array.from({length: shades}, (_, i) => scaleColour(i / (shades - 1)));
const shadeAt = (fraction, shades) => Math.round(Math.min(1, Math.max(0, fraction)) * (shades - 1)) || 0;

// The colour at a fraction of the way along `colours`, which stand at even distances.
function blend(colours, fraction) {
  const at = fraction * (colours.length - 1);
  const i = Math.min(Math.floor(at), colours.length - 2);
  return `rgb(${colours[i].map((c, k) => Math.round(c + (colours[i + 1][k] - c) * (at - i))).join(' ')})`;
}

// Draws now, and again whenever the colours change.
function drawn(draw) {
  redraws.push(draw);
  draw();
}

function redrawAll() {
  for (const draw of redraws) draw();
}

function setUpTheme() {
  const button = byId('theme-choice');
  button.addEventListener('click', () => {
    const place = kThemes.findIndex(([name]) => name === chosenTheme());
    const [name, words] = kThemes[(place + 1) % kThemes.length];
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    button.textContent = `Colours: ${words}`;
    redrawAll();
  });
}

kDarkScheme.addEventListener('change', redrawAll);
for (const [event, state] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(event, () => {
    printing = state;
    document.documentElement.classList.toggle('printing', state);
    redrawAll();
  });
}
