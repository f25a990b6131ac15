// The many dots of the trade-offs. They are painted into a picture of their own once for each size, axes and selection,
// and the chart lays it under its marks: so 100 000 of them cost nothing while the pointer moves.

const kCloudShades = 48;   // dots of about one colour are painted together
const kCloudReach = 7;     // pixels from the pointer to a dot that it means
const kCloudCell = 16;     // pixels, of the grid in which dots are found
const kManyDots = 20000;   // from here on dots are smaller

const kCloud = {
  colours: null,
  cells: new Map(),  // of the grid: [x, y, point] of the dots in it

  // The dot next to a place of the chart, if one is near.
  nearest(x, y) {
    let best = null, least = kCloudReach ** 2;
    for (const dx of [-1, 0, 1]) {
      for (const dy of [-1, 0, 1]) {
        for (const [px, py, point] of this.cells.get(cellOf(x + dx * kCloudCell, y + dy * kCloudCell)) ?? []) {
          const distance = (px - x) ** 2 + (py - y) ** 2;
          if (distance < least) [best, least] = [point, distance];
        }
      }
    }
    return best;
  },
};

const cellOf = (x, y) => Math.floor(x / kCloudCell) * 65536 + Math.floor(y / kCloudCell);

// Pixels of values along an axis; as the chart places them, but without a call for each.
function placerOf({min, max, type, left, right, top, bottom}, across) {
  const along = type === 'logarithmic' ? (v) => Math.log(v / min) / Math.log(max / min)
    : (v) => (v - min) / (max - min);
  return across ? (v) => left + along(v) * (right - left) : (v) => bottom - along(v) * (bottom - top);
}

function paintCloud(chart, colours) {
  const {width, height, currentDevicePixelRatio: ratio, chartArea, scales} = chart;
  const picture = Object.assign(document.createElement('canvas'), {width: width * ratio, height: height * ratio});
  const context = picture.getContext('2d');
  context.scale(ratio, ratio);
  const atX = placerOf({...axisOf(scales.x), ...chartArea}, true);
  const atY = placerOf({...axisOf(scales.y), ...chartArea}, false);
  const x = scatterX(), y = scatterY();
  const size = kPoints.length > kManyDots ? 3 : 5;
  kCloud.cells.clear();
  kCloud.colours = colours;
  const dot = (point) => {
    const px = atX(point[x]), py = atY(point[y]);
    context.fillRect(px - size / 2, py - size / 2, size, size);
    return [px, py, point];
  };
  const points = shown();
  if (isFiltered()) {
    const kept = new Set(points);
    context.fillStyle = colour('line');
    for (const point of kPoints) if (!kept.has(point)) dot(point);
  }
  const shades = new Map();
  for (const point of points) {
    const shade = colours.of(point);
    const same = shades.get(shade);
    if (same) same.push(point);
    else shades.set(shade, [point]);
  }
  for (const [shade, same] of shades) {
    context.fillStyle = shade;
    for (const point of same) {
      const placed = dot(point);
      const cell = cellOf(placed[0], placed[1]);
      const there = kCloud.cells.get(cell);
      if (there) there.push(placed);
      else kCloud.cells.set(cell, [placed]);
    }
  }
  return picture;
}

const axisOf = ({min, max, type}) => ({min, max, type});

// Draws the cloud under the marks, inside the axes.
function cloudPlugin(colours) {
  let picture = null, drawnFor = '';
  return {
    id: 'cloud',
    beforeDatasetsDraw(chart) {
      const {left, top, right, bottom} = chart.chartArea;
      const state = [chart.width, chart.height, left, top, right, bottom, chart.currentDevicePixelRatio].join();
      if (state !== drawnFor) {
        picture = paintCloud(chart, colours);
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
