// The table is in the page already; this sorts and filters it, and ties its rows to the selection.
import { data, el, onSelect, pictureUrl, select, tint } from './page.js';

function addPictures(rows) {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      const segment = data.segments[Number(target.dataset.i)];
      const who = target.querySelector('.who');
      tint(who, segment.label);
      who.prepend(
        segment.thumbnail === null ? el('i', {}) : el('img', { src: pictureUrl(segment.thumbnail), alt: '' }),
      );
    }
  });
  for (const row of rows) observer.observe(row);
}

function sortable(table, rows) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    header.firstElementChild.addEventListener('click', () => {
      const down = header.getAttribute('aria-sort') === 'ascending';
      for (const other of headers) other.setAttribute('aria-sort', 'none');
      header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const value = (row) => row.cells[column].dataset.v;
      const order = (a, b) => {
        const difference = Number(value(a)) - Number(value(b));
        return Number.isNaN(difference) ? value(a).localeCompare(value(b)) : difference;
      };
      rows.sort((a, b) => (down ? order(b, a) : order(a, b)) || Number(a.dataset.i) - Number(b.dataset.i));
      body.append(...rows);
    });
  });
}

export function startTable() {
  const table = document.getElementById('rows');
  if (table === null) return;
  const rows = [...table.tBodies[0].rows];
  const filter = document.getElementById('filter');
  addPictures(rows);
  sortable(table, rows);
  filter.hidden = rows.length < 8;
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.cells[0].dataset.v.includes(wanted);
  });
  table.tBodies[0].addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    if (row === null) return;
    select(Number(row.dataset.i), 'table');
    document.getElementById('stage').scrollIntoView({ behavior: 'smooth', block: 'nearest' });
  });
  const byIndex = new Map(rows.map((row) => [Number(row.dataset.i), row]));
  onSelect((index) => {
    for (const row of table.querySelectorAll('tr[aria-current]')) row.removeAttribute('aria-current');
    byIndex.get(index)?.setAttribute('aria-current', 'true');
  });
}
