// The points of the selection as a file: CSV or JSON.

// The numbers of the points shown, one object a point.
function selectionRows() {
  return shown().map((point) => {
    const {watts, tops, topsPerWatt} = ratesOf(scopeOperations(), point.energy_pj, point.seconds);
    const known = (x) => (Number.isFinite(x) ? x : null);
    return {
      point: point.id,
      ...Object.fromEntries(settingsOf(point)),
      energy_pj: point.energy_pj,
      [kSweep.seconds ? 'delay_s' : 'cycles']: point.delay,
      seconds: known(point.seconds ?? NaN),
      watts: known(watts), tops: known(tops), tops_per_watt: known(topsPerWatt),
      area_um2: point.area_um2,
      memory_bytes: point.capacity_bytes,
      compute_units: point.compute_units,
      value: point.value,
      lower_bound: point.lower_bound > 0 ? point.lower_bound : null,
      gap: known(gapOf(point)),
      status: point.status || null,
    };
  });
}

function csvText(rows) {
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const plain = (x) => (typeof x === 'string' && /^[=+@-]/.test(x) ? `'${x}` : String(x));  // no formula
  const cell = (x) => (x === null ? '' : quoted(plain(x)));
  const keys = rows.length > 0 ? Object.keys(rows[0]) : [];
  return [keys, ...rows.map((row) => Object.values(row))].map((line) => line.map(cell).join(',')).join('\r\n') + '\r\n';
}

const jsonText = (rows) => JSON.stringify({sweep: kSweep.name, question: kSweep.question, program: kData.program,
  objective: kSweep.objective, value_unit: kSweep.value_unit, costs_of: kSelection.scope, points: rows}, null, 1);

function save(text, type, ending) {
  const href = URL.createObjectURL(new Blob([text], {type}));
  const link = element('a', {href, download: `${kSweep.name}.${ending}`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
