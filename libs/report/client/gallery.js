// Jobs of pictures: every picture, and every page on which something was found, with its boxes and names.
import { data, el, framePicture, isStill, select, tint, written } from './page.js';

function nameChip(index, pick) {
  const segment = data.segments[index];
  const chip = el('button', { type: 'button', className: 'chip', onclick: () => pick(index) }, written(segment));
  return tint(chip, segment.label);
}

/** Returns the findings of each page of a document, pages in order. */
function pagesOf(indices) {
  const byPage = new Map();
  for (const index of indices) {
    const page = data.segments[index].frameStart;
    byPage.set(page, [...(byPage.get(page) ?? []), index]);
  }
  return [...byPage].sort(([a], [b]) => a - b);
}

function isPage({ source }) {
  return source.mediaType === 'pdf';
}

function counted(count, arePages) {
  const [one, many] = arePages ? ['Page', 'pages'] : ['Picture', 'pictures'];
  return count === 1 ? one : `${count} ${many}`;
}

export function startGallery() {
  const host = document.getElementById('gallery');
  const bySource = new Map();
  data.segments.forEach((segment, index) => {
    if (!bySource.has(segment.sourceIndex)) bySource.set(segment.sourceIndex, []);
    bySource.get(segment.sourceIndex).push(index);
  });
  const pick = (index) => {
    select(index, 'gallery');
    document.getElementById('stage').scrollIntoView({ behavior: 'smooth', block: 'nearest' });
  };
  const stills = data.sources.flatMap((source, sourceIndex) => {
    if (!isStill(source)) return [];
    const indices = bySource.get(sourceIndex) ?? [];
    const { name } = source;
    const pages = isPage({ source }) ? pagesOf(indices) : [];
    if (pages.length === 0) return [{ source, name, indices }];
    return pages.map(([page, own]) => ({ source, name: `${name}, page ${page + 1}`, indices: own }));
  });
  const figures = stills.map(({ source, name, indices }) => {
    const shown = indices.map((index) => data.segments[index].keyFrame).find(Boolean);
    return el(
      'figure',
      {},
      shown
        ? framePicture(
            shown,
            indices.map((index) => [index, false]),
            pick,
          )
        : el('div', { className: 'frame none' }, 'Nothing found'),
      el(
        'figcaption',
        { title: source.source },
        el('p', {}, ...indices.map((index) => nameChip(index, pick))),
        el('small', {}, name),
      ),
    );
  });
  if (figures.length === 0) return;
  host.hidden = false;
  host.append(
    el('div', { className: 'bar' }, el('h2', {}, counted(figures.length, stills.every(isPage)))),
    el('div', { className: 'pictures' }, ...figures),
  );
}
