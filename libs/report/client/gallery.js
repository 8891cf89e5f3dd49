// Jobs of pictures: every picture with its boxes and names.
import { data, el, framePicture, isStill, select, tint, written } from './page.js';
import { baseName } from './time.js';

function nameChip(index, pick) {
  const segment = data.segments[index];
  const chip = el('button', { type: 'button', className: 'chip', onclick: () => pick(index) }, written(segment));
  return tint(chip, segment.label);
}

export function startGallery() {
  const host = document.getElementById('gallery');
  const bySource = new Map();
  data.segments.forEach((segment, index) => {
    if (!bySource.has(segment.sourceIndex)) bySource.set(segment.sourceIndex, []);
    bySource.get(segment.sourceIndex).push(index);
  });
  const figures = data.sources.flatMap((source, sourceIndex) => {
    if (!isStill(source)) return [];
    const indices = bySource.get(sourceIndex) ?? [];
    const shown = indices.map((index) => data.segments[index].keyFrame).find(Boolean);
    const pick = (index) => {
      select(index, 'gallery');
      document.getElementById('stage').scrollIntoView({ behavior: 'smooth', block: 'nearest' });
    };
    return [
      el(
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
          el('small', {}, baseName(source.source)),
        ),
      ),
    ];
  });
  if (figures.length === 0) return;
  host.hidden = false;
  host.append(
    el('div', { className: 'bar' }, el('h2', {}, figures.length === 1 ? 'Picture' : `${figures.length} pictures`)),
    el('div', { className: 'pictures' }, ...figures),
  );
}
