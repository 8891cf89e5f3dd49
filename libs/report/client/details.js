// The stage: the selected appearance, large.
import {
  data,
  el,
  framePicture,
  isStill,
  nameThreshold,
  onSelect,
  pictureUrl,
  select,
  selectedIndex,
  tint,
  written,
} from './page.js';
import { enrolling } from './enroll.js';
import { shownFor } from './time.js';

const HIDDEN_META = new Set([
  'from_dictionary',
  'similarity',
  'distance',
  'person',
  'label',
  'class_id',
  'closest_person',
  'text',
]);
const stage = document.getElementById('stage');

/** The appearance before or after, of the same name first of all. */
export function neighbour(index, direction) {
  const { label, type } = data.segments[index];
  for (let at = index + direction; at >= 0 && at < data.segments.length; at += direction) {
    if (data.segments[at].label === label && data.segments[at].type === type) return at;
  }
  return -1;
}

function fact(term, value) {
  return el('div', {}, el('dt', {}, term), el('dd', {}, value));
}

/** Shares of one read better as per cent. */
function metaText(key, value) {
  if (/similarity|confidence/.test(key) && typeof value === 'number') return `${Math.round(value * 100)} %`;
  return number(value) ?? String(value);
}

function number(value) {
  return typeof value === 'number' ? String(Number(value.toFixed(3))) : null;
}

function facts(segment, source) {
  const { meta } = segment;
  const list = [];
  if (!isStill(source)) {
    list.push(fact('From', segment.tcStart), fact('To', segment.tcEnd));
    list.push(fact('Duration', shownFor(segment.timeEnd - segment.timeStart, 1)));
    if (segment.frameStart !== null) list.push(fact('Frames', `${segment.frameStart} – ${segment.frameEnd}`));
  }
  if (source.mediaType === 'pdf') list.push(fact('Page', String(segment.frameStart + 1)));
  // Compared with nobody: numbers would say nothing.
  const compared = meta.closest_person !== null;
  if (compared && number(meta.similarity) !== null) list.push(...likeness(segment));
  if (compared && number(meta.distance) !== null) list.push(fact('Distance', number(meta.distance)));
  list.push(fact('Detections', String(segment.detections)));
  for (const [key, value] of Object.entries(meta)) {
    if (!compared && /^mean_/.test(key)) continue;
    if (HIDDEN_META.has(key) || value === null || typeof value === 'object') continue;
    list.push(fact(key.replaceAll('_', ' '), metaText(key, value)));
  }
  return el('dl', {}, ...list);
}

/**
 * Text on how like somebody a face is, and how like it has to be. For an unknown face it names the nearest person, and
 * how to enroll the face.
 */
function likeness({ type, meta }) {
  const similarity = `${Math.round(meta.similarity * 100)} %`;
  if (type !== 'face') return [fact('Similarity', similarity)];
  const threshold = `${Math.round(nameThreshold() * 100)} % is the threshold`;
  if (typeof meta.closest_person !== 'string') return [fact('Similarity', `${similarity}: ${threshold}`)];
  const needed = (Math.ceil(meta.distance * 100) / 100).toFixed(2);
  return [
    fact('Nearest name', `${meta.closest_person}, ${similarity}`),
    fact('To be named', `${threshold}; max_distance ${needed} would do`),
  ];
}

function step(index, direction, text) {
  const target = neighbour(index, direction);
  return el('button', { type: 'button', disabled: target < 0, onclick: () => select(target, 'stage') }, text);
}

function show(index) {
  const segment = data.segments[index];
  const source = data.sources[segment.sourceIndex];
  stage.hidden = false;
  tint(stage, segment.label);
  const media = segment.keyFrame
    ? el('div', { className: 'still' }, framePicture(segment.keyFrame, [[index, true]]))
    : el('div', { className: 'frame none' }, segment.thumbnail === null ? 'No picture of this appearance' : '');
  stage.replaceChildren(
    media,
    el(
      'div',
      { className: 'about' },
      el(
        'div',
        { className: 'name' },
        segment.thumbnail === null ? null : el('img', { src: pictureUrl(segment.thumbnail), alt: '' }),
        el(
          'div',
          {},
          el('p', { className: 'kind' }, segment.type.replaceAll('_', ' ')),
          el(typeof segment.meta.text === 'string' ? 'p' : 'h2', {}, written(segment)),
        ),
      ),
      facts(segment, source),
      ...[enrolling(segment)].filter((part) => part !== null),
      el('p', { className: 'steps' }, step(index, -1, '← Previous'), step(index, 1, 'Next →')),
    ),
  );
}

export function startDetails() {
  onSelect(show);
  stage.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = direction === undefined ? -1 : neighbour(selectedIndex(), direction);
    if (target < 0) return;
    select(target, 'stage');
    stage.querySelector('.steps button:not(:disabled)')?.focus();
  });
}
