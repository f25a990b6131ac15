// In pages of report --serve: loads the page again when the sweep has gone on, as the reader had it.

const kLookEvery = 2000;  // ms
const kQuietFor = 4000;   // ms without a key or a click before the page is loaded again
const kLoadShare = 5;     // loading takes at most 1 / kLoadShare of the time

const kLive = {state: document.documentElement.dataset.state, touched: 0};

const liveControls = () => [...document.querySelectorAll('select[id], input[id], details[id]')];

function rememberPage() {
  const controls = liveControls().map((control) => [control.id,
    control.type === 'checkbox' ? control.checked : control.tagName === 'DETAILS' ? control.open : control.value]);
  sessionStorage.setItem('page', JSON.stringify({controls, y: scrollY, theme: chosenTheme(),
    choices: kSelection.choices.map((kept, p) => kept && [...kept].map((i) => kData.parameters[p].values[i])),
    ranges: [...kSelection.ranges].map(([metric, ends]) => [metric, ends.map(String)])}));
}

function restorePage() {
  const {controls, y, theme, choices, ranges} = JSON.parse(sessionStorage.getItem('page') ?? '{}');
  if (!controls) return;
  catchUp();  // fills the lists that are chosen from
  if (theme) document.documentElement.dataset.theme = theme;
  for (const [id, value] of controls) {
    const control = byId(id);
    if (!control || value === '') continue;
    if (control.tagName === 'DETAILS') control.open = value;
    else if (control.type === 'checkbox') control.checked = value;
    else control.value = value;
    if (control.tagName !== 'DETAILS' && id !== 'point-choice') {
      control.dispatchEvent(new Event('change', {bubbles: true}));
    }
  }
  const point = kPointOfId.get(Number(new Map(controls).get('point-choice')));
  if (point) choosePoint(point);
  choices.forEach((kept, p) => {
    if (!kept || !kData.parameters[p]) return;
    setChoices(p, new Set(kept.map((value) => kData.parameters[p].values.indexOf(value)).filter((i) => i >= 0)));
  });
  for (const [metric, ends] of ranges) kSelection.ranges.set(metric, ends.map(Number));
  fillRanges();
  select();
  scrollTo(0, y);
}

async function lookForNews() {
  const [{duration}] = performance.getEntriesByType('navigation');  // until the page was there, made by the server first
  const busy = Date.now() - kLive.touched < kQuietFor || performance.now() < kLoadShare * duration || document.hidden;
  try {
    const {state} = await (await fetch('/state')).json();
    byId('live').textContent = state === kLive.state ? 'follows the sweep' : 'the sweep has gone on';
    if (state !== kLive.state && !busy) {
      rememberPage();
      location.reload();
      return;
    }
  } catch {
    byId('live').textContent = 'report --serve has ended: this is the last state';
  }
  setTimeout(lookForNews, kLookEvery);
}

if (kLive.state) {
  for (const event of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(event, () => { kLive.touched = Date.now(); }, {passive: true});
  }
  restorePage();
  setTimeout(lookForNews, kLookEvery);
}
