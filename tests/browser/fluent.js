// Runs at the end of a report's page with very many points: filters, sorts and chooses as a reader would, and writes
// down what is right of it and how long it took, for report_browser_test.cpp. In real time: the page has not loaded for
// the browser before this has ended, as a frame in it has not.

const waiting = Object.assign(document.createElement('iframe'), {hidden: true});
document.body.append(waiting);
waiting.contentDocument.open();

const found = {ms: {}, nodes: {}};
const by = (id) => document.getElementById(id);
const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
const settled = async () => {
  do await new Promise((done) => setTimeout(done, 2)); while (document.documentElement.dataset.busy);
};

// What `act` does, as [until the next frame is there, until all panels have followed].
async function timed(name, act) {
  await frame();
  const begin = performance.now();
  act();
  await frame();
  const drawn = performance.now();
  await settled();
  found.ms[name] = [drawn - begin, performance.now() - begin].map(Math.round);
  found.nodes[name] = document.querySelectorAll('*').length;
}

const tell = (control, type) => control.dispatchEvent(new Event(type, {bubbles: true}));
const headings = () => [...document.querySelectorAll('#points-table th button')];
const cells = (i) => [...by('points-table').tBodies[0].rows].map((row) => row.cells[i]?.textContent).filter(Boolean);
const listed = () => Number(by('points-note').textContent.replace(/ points.*/, '').replaceAll(/\D/g, ''));
const dots = () => Number(by('scatter').dataset.cloud);

async function use() {
  await settled();
  found.ms.loaded = [Math.round(performance.now())];
  const {points, parameters} = JSON.parse(by('data').textContent);
  found.points = points.id.length;
  const [box] = document.querySelectorAll('#selection-filters input[type=checkbox]');
  await timed('a value', () => { box.checked = false; tell(box, 'change'); });
  found.value = {dots: dots(), listed: listed(), right: points.choice[0].filter((i) => i !== 0).length};
  await timed('all points', () => by('selection-reset').click());

  const [, slider] = document.querySelectorAll('#selection-filters input[type=range]');
  await timed('a range', () => { slider.value = 400; tell(slider, 'input'); });
  const low = Math.min(...points.energy_pj), high = Math.max(...points.energy_pj);
  const most = high > 3 * low ? low * (high / low) ** 0.4 : low + (high - low) * 0.4;
  found.range = {dots: dots(), listed: listed(), right: points.energy_pj.filter((x) => x <= most).length};
  await timed('all points again', () => by('selection-reset').click());

  const place = headings().findIndex((heading) => heading.textContent === 'Delay');
  await timed('sort by delay', () => headings()[place].click());
  const ids = cells(0).map((text) => Number(text.replaceAll(/\D/g, '')));
  const delay = new Map(points.id.map((id, i) => [id, points.delay[i]]));
  found.sorted = {first: delay.get(ids[0]), right: Math.min(...points.delay),
    ascending: ids.every((id, i) => i === 0 || delay.get(ids[i - 1]) <= delay.get(id))};
  await timed('sort by a parameter', () => headings()[1].click());
  found.sorted.name = cells(1)[0] === parameters[0].values[0];

  await timed('a colour', () => { by('scatter-colour').value = 'parameter:0'; tell(by('scatter-colour'), 'change'); });
  await timed('a point', () => by('points-table').querySelector('td button').click());
  found.chosen = by('point-choice').value === cells(0)[0].replaceAll(/\D/g, '');
}

use().catch((error) => { found.error = String(error.stack ?? error); }).finally(() => {
  const note = document.createElement('script');
  note.type = 'application/json';
  note.id = 'probe';
  note.textContent = JSON.stringify(found).replaceAll('<', '\\u003c');
  document.body.append(note);
  waiting.contentDocument.close();
});
