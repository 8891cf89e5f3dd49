// Who and what was found, over the whole job: a card each, the longest on screen first.
import { data, el, isStill, kindOrder, pictureUrl, rankOf, select, tint, written } from './page.js';
import { shownFor } from './time.js';

const FIRST = 24;
const FEW = 6;

function found() {
  const cards = new Map();
  data.segments.forEach((segment, index) => {
    // Said of a picture as a whole, so nobody's card.
    if (segment.type === 'gender_neutrality') return;
    const key = `${segment.type}\n${segment.label}`;
    const card = cards.get(key) ?? {
      label: segment.label,
      type: segment.type,
      rank: rankOf(segment),
      total: 0,
      count: 0,
      stills: 0,
      best: null,
      likest: -1,
      thumbnail: null,
    };
    card.total += segment.timeEnd - segment.timeStart;
    card.count += 1;
    if (isStill(data.sources[segment.sourceIndex])) card.stills += 1;
    if (card.best === null || segment.confidence > data.segments[card.best].confidence) card.best = index;
    // The best appearance may be one whose picture is gone.
    if (segment.thumbnail !== null && segment.confidence > card.likest) {
      card.likest = segment.confidence;
      card.thumbnail = segment.thumbnail;
    }
    cards.set(key, card);
  });
  const kind = ({ type }) => Math.min(kindOrder(type), 99);
  return [...cards.values()].sort(
    (a, b) => kind(a) - kind(b) || a.rank - b.rank || b.total - a.total || b.count - a.count,
  );
}

function extent(card) {
  const times = `${card.count} ${card.count === 1 ? 'appearance' : 'appearances'}`;
  if (card.stills === card.count || card.total === 0) return shownFor(0, card.count);
  return `${shownFor(card.total, card.count)} · ${times}`;
}

function makeCard(card) {
  const picture =
    card.thumbnail === null
      ? el('i', {}, card.label.slice(0, 1).toUpperCase())
      : el('img', { src: pictureUrl(card.thumbnail), alt: '' });
  const button = el(
    'button',
    { type: 'button', className: 'person', onclick: () => select(card.best, 'people') },
    picture,
    el('span', {}, el('b', { title: card.label }, written(card)), el('small', {}, extent(card))),
  );
  return tint(button, card.label);
}

export function startPeople() {
  const host = document.getElementById('people');
  const cards = found();
  // A button for a few takes the room that they would.
  const first = cards.length <= FIRST + FEW ? cards.length : FIRST;
  host.append(...cards.slice(0, first).map(makeCard));
  if (cards.length === first) return;
  const more = el('button', { type: 'button', className: 'unfold' }, `Show all ${cards.length}`);
  more.addEventListener('click', () => {
    more.replaceWith(...cards.slice(first).map(makeCard));
  });
  host.append(more);
}
