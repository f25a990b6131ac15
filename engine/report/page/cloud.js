// The many dots of the trade-offs. They are painted pixel by pixel into a picture of their own, once for each size, axes
// and selection, and the chart lays it under its marks: 100 000 of them take some milliseconds, and nothing while the
// pointer moves.

const kCloudShades = 48;   // colours of the scale that dots have
const kCloudReach = 7;     // pixels from the pointer to a dot that it means
const kCloudCell = 16;     // pixels, of the grid in which dots are found
const kManyDots = 20000;   // from here on dots are smaller

// [place of a point]: pixels of its dot in the chart, shown or not. Dots are sorted by the cell of the grid that they are
// in when the pointer first asks: those of cell c are places[starts[c]] .. places[starts[c + 1] - 1].
const kCloud = {
  x: new Float32Array(kPoints.length), y: new Float32Array(kPoints.length),
  columns: 0, rows: 0, starts: null, places: null,

  // The dot next to a place of the chart, if one is near.
  nearest(x, y) {
    if (!this.starts) sortDots(this);
    let best = null, least = kCloudReach ** 2;
    for (const dx of [-1, 0, 1]) {
      for (const dy of [-1, 0, 1]) {
        const cell = cellOf(this, x + dx * kCloudCell, y + dy * kCloudCell);
        if (cell < 0) continue;
        for (let i = this.starts[cell]; i < this.starts[cell + 1]; ++i) {
          const place = this.places[i];
          const distance = (this.x[place] - x) ** 2 + (this.y[place] - y) ** 2;
          if (distance < least) [best, least] = [kPoints[place], distance];
        }
      }
    }
    return best;
  },
};

function cellOf({columns, rows}, x, y) {
  const column = Math.floor(x / kCloudCell), row = Math.floor(y / kCloudCell);
  return column >= 0 && column < columns && row >= 0 && row < rows ? row * columns + column : -1;
}

function sortDots(cloud) {
  cloud.starts = new Uint32Array(cloud.columns * cloud.rows + 1);
  const cells = shown().map(({place}) => cellOf(cloud, cloud.x[place], cloud.y[place]));
  for (const cell of cells) if (cell >= 0) ++cloud.starts[cell + 1];
  for (let c = 1; c < cloud.starts.length; ++c) cloud.starts[c] += cloud.starts[c - 1];
  const next = cloud.starts.slice();
  cloud.places = new Uint32Array(cloud.starts.at(-1));
  shown().forEach(({place}, i) => { if (cells[i] >= 0) cloud.places[next[cells[i]]++] = place; });
}

// Pixels of values along an axis; as the chart places them, but without a call for each.
function placerOf({min, max, type}, {left, right, top, bottom}, across) {
  const first = type === 'logarithmic' ? Math.log(min) : min;
  const span = (type === 'logarithmic' ? Math.log(max) : max) - first;
  const along = type === 'logarithmic' ? (v) => (Math.log(v) - first) / span : (v) => (v - first) / span;
  return across ? (v) => left + along(v) * (right - left) : (v) => bottom - along(v) * (bottom - top);
}

function placeDots({width, height, chartArea, scales}) {
  const atX = placerOf(scales.x, chartArea, true), atY = placerOf(scales.y, chartArea, false);
  kColumns[scatterX()].forEach((value, place) => { kCloud.x[place] = atX(value); });
  kColumns[scatterY()].forEach((value, place) => { kCloud.y[place] = atY(value); });
  kCloud.columns = Math.ceil(width / kCloudCell);
  kCloud.rows = Math.ceil(height / kCloudCell);
  kCloud.starts = null;
}

// The colour that a style sheet writes, as a pixel of a picture.
function pixelOf(css) {
  const context = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d');
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  return new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0];
}

// Points that the selection leaves out lie below the others; the best and the front, which come first, on top. A front of
// too many points for marks of the chart is painted, too.
function paintCloud(chart, colours, front) {
  const {currentDevicePixelRatio: ratio} = chart;
  const width = Math.round(chart.width * ratio), height = Math.round(chart.height * ratio);
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const size = Math.max(1, Math.round((kPoints.length > kManyDots ? 3 : 5) * ratio));
  const dot = (place, pixel) => {
    const left = Math.round(kCloud.x[place] * ratio - size / 2), top = Math.round(kCloud.y[place] * ratio - size / 2);
    if (!(left >= 0 && top >= 0 && left + size <= width && top + size <= height)) return;
    for (let row = top; row < top + size; ++row) {
      for (let at = row * width + left, end = at + size; at < end; ++at) pixels[at] = pixel;
    }
  };
  placeDots(chart);
  const left_out = pixelOf(colour('line')), shades = colours.shades.map(pixelOf);
  const {kept} = kSelection;
  if (isFiltered()) for (let place = kept.length; place-- > 0;) if (!kept[place]) dot(place, left_out);
  for (let place = kept.length; place-- > 0;) if (kept[place]) dot(place, shades[colours.shadeOf(kPoints[place])]);
  const picture = Object.assign(document.createElement('canvas'), {width, height});
  const context = picture.getContext('2d');
  context.putImageData(image, 0, 0);
  context.scale(ratio, ratio);
  if (front.length > kManyFront) for (const point of front) paintMark(context, point, shadeOfPoint(colours, point));
  return picture;
}

// Circles for proven points, squares for others, as the marks of smaller fronts are.
function paintMark(context, point, shade) {
  const x = kCloud.x[point.place], y = kCloud.y[point.place], radius = 3.5;
  context.beginPath();
  if (isProven(point)) context.arc(x, y, radius, 0, 2 * Math.PI);
  else context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  context.fillStyle = shade;
  context.fill();
  context.lineWidth = 0.75;
  context.strokeStyle = colour('ink');
  context.stroke();
}

// Draws the cloud under the marks, inside the axes.
function cloudPlugin(colours, front) {
  let picture = null, drawnFor = '';
  return {
    id: 'cloud',
    beforeDatasetsDraw(chart) {
      const {left, top, right, bottom} = chart.chartArea;
      const state = [chart.width, chart.height, left, top, right, bottom, chart.currentDevicePixelRatio].join();
      if (state !== drawnFor) {
        picture = paintCloud(chart, colours, front);
        drawnFor = state;
        chart.canvas.dataset.cloud = shown().length;
      }
      chart.ctx.save();
      chart.ctx.beginPath();
      chart.ctx.rect(left, top, right - left, bottom - top);
      chart.ctx.clip();
      chart.ctx.drawImage(picture, 0, 0, chart.width, chart.height);
      chart.ctx.restore();
    },
  };
}
