// Numbers for people: four digits at most, a prefix that suits the size, always the unit.

const kSuperscripts = {'-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹'};

// 4 digits, without zeros at the end: 12.5, 0.04, 1 234.
function digits(x) {
  if (!Number.isFinite(x)) return '?';
  const rounded = Number(x.toPrecision(4));
  return Math.abs(rounded) >= 1e4 ? count(rounded) : String(rounded);
}

// 1234567 as "1 234 567", with narrow spaces that do not break.
function count(n) {
  return Math.abs(n) < 1e15 ? String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u202f') : scientific(n);
}

const pointsText = (n) => (n === 1 ? '1 point' : `${count(n)} points`);

function scientific(x) {
  if (x === 0) return '0';
  const [mantissa, exponent] = x.toExponential(3).split('e');
  const power = String(Number(exponent)).replace(/./g, (c) => kSuperscripts[c]);
  return Number(mantissa) === 1 ? `10${power}` : `${Number(mantissa)}×10${power}`;
}

const plainOrScientific = (x) => (Math.abs(x) >= 0.01 && Math.abs(x) < 1e4 ? digits(x) : scientific(x));

// `steps`: [size of the unit, its name], largest last.
function scaled(x, steps) {
  if (x === 0) return '0';
  const [size, unit] = steps.findLast(([size]) => Math.abs(x) >= size * 0.99995) ?? steps[0];
  return `${digits(x / size)} ${unit}`;
}

const kEnergySteps = [[1e-3, 'fJ'], [1, 'pJ'], [1e3, 'nJ'], [1e6, 'µJ'], [1e9, 'mJ'], [1e12, 'J'], [1e15, 'kJ']];
const kCycleSteps = [[1, 'cycles'], [1e3, 'k cycles'], [1e6, 'M cycles'], [1e9, 'G cycles'], [1e12, 'T cycles']];
const kSecondSteps = [[1e-9, 'ns'], [1e-6, 'µs'], [1e-3, 'ms'], [1, 's'], [1e3, 'ks']];
const kByteSteps = [[1, 'B'], [1024, 'KiB'], [1024 ** 2, 'MiB'], [1024 ** 3, 'GiB'], [1024 ** 4, 'TiB']];

const kWattSteps = [[1e-9, 'nW'], [1e-6, 'µW'], [1e-3, 'mW'], [1, 'W'], [1e3, 'kW'], [1e6, 'MW']];

const wattsText = (w) => scaled(w, kWattSteps);
const energyText = (pj) => scaled(pj, kEnergySteps);
const cyclesText = (n) => scaled(n, kCycleSteps);
const secondsText = (s) => scaled(s, kSecondSteps);
const bytesText = (n) => scaled(n, kByteSteps);
const areaText = (um2) => (um2 >= 1e4 ? `${digits(um2 / 1e6)} mm²` : `${digits(um2)} µm²`);
// What is not nothing is not written as 0.0 %.
const kRounding = 1e-9;
const percentText = (fraction) => (fraction > kRounding && fraction < 0.0005 ? '<0.1 %'
  : `${(100 * fraction).toFixed(fraction < 0.0995 ? 1 : 0)} %`);

// What the sweep minimised: its name, how its values are written, and how at an axis that names the unit. Products of
// energy and delay alone, energy^energy_power x delay^cycles_power, have names with superscripts.
function objectiveForm({energy_power, cycles_power, area_power, per_operation, label, value_unit, seconds}, delayText) {
  if (area_power || per_operation) {
    const unit = value_unit.replaceAll(' ', '·').replaceAll('um', 'µm').replace(/\^(\d)/g, (_, power) => kSuperscripts[power]);
    return {label, text: (x) => `${plainOrScientific(x)} ${unit}`, tick: plainOrScientific, unit};
  }
  if (cycles_power === 0) return {label: 'Energy', text: energyText};
  if (energy_power === 0) return {label: 'Delay', text: delayText};
  const power = cycles_power === 1 ? '' : kSuperscripts[cycles_power];
  const unit = `pJ·${seconds ? 's' : 'cycles'}${power}`;
  return {label: `ED${power}P`, text: (x) => `${plainOrScientific(x)} ${unit}`, tick: plainOrScientific, unit};
}

// What points are ranked by, as it stands within a sentence and at the beginning of one.
const valueWords = ({value_label}) => value_label.replace('ED2P', `ED${kSuperscripts[2]}P`)
  .replace(/network's (.*)/, '$1 of the network');
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
