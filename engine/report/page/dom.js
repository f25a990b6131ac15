// Elements. Texts of the sweep reach the page only through textContent: they are never read as HTML.

const byId = (id) => document.getElementById(id);

// element('td', {className: 'text'}, 'a', other) with properties and children (texts or elements).
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Fills a <dl> with [term, description, more] entries.
function fillList(list, entries) {
  list.replaceChildren(...entries.map(([term, description, more]) => element('div', {},
    element('dt', {}, term),
    element('dd', {}, description, ...(more ? [element('span', {className: 'more'}, more)] : [])))));
}

// Options as [value, text]; keeps the choice if it is still there.
function fillSelect(select, options, chosen = select.value) {
  select.replaceChildren(...options.map(([value, text]) => element('option', {value}, text)));
  select.value = options.some(([value]) => value === chosen) ? chosen : options[0]?.[0];
}

// A table that can be sorted by its headings. Columns: {title, key(row), cell(row), text: left-aligned words}.
function fillTable(table, columns, rows) {
  const body = element('tbody');
  const head = element('tr');
  const fill = (sorted) => body.replaceChildren(...sorted.map((row) => {
    const line = element('tr', {}, ...columns.map((column) =>
      element('td', {className: column.text ?? ''}, column.cell(row))));
    line.dataset.id = row.id ?? '';
    return line;
  }));
  const sort = (column, heading) => {
    const ascending = heading.getAttribute('aria-sort') !== 'ascending';
    for (const other of head.children) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
    const sign = ascending ? 1 : -1;
    fill(rows.toSorted((a, b) => sign * compareKeys(column.key(a), column.key(b))));
  };
  for (const column of columns) {
    const heading = element('th', {className: column.text ?? '', scope: 'col'});
    heading.append(element('button', {type: 'button', onclick: () => sort(column, heading)}, column.title));
    head.append(heading);
  }
  fill(rows);
  table.replaceChildren(element('thead', {}, head), body);
}

// Numbers by size, texts with the numbers in them by size; a missing number comes last.
function compareKeys(a, b) {
  if (typeof a === 'string') return a.localeCompare(b, 'en', {numeric: true});
  return (Number.isFinite(a) ? a : Infinity) - (Number.isFinite(b) ? b : Infinity) || 0;
}
