// A card above the pointer: the frame behind a bar of the timeline, before anything is chosen.
import { data, el, framePicture, pictureUrl, tint, written } from './page.js';

const CARD_WIDTH = 320;
const CARD_GAP = 12;

/** Shows, while the pointer is on an element with `data-segment` in `host`, the frame of that segment. */
export function startHover(host) {
  const card = el('div', { className: 'peek', hidden: true, 'aria-hidden': 'true' });
  document.body.append(card);
  let shown = null;
  const hide = () => {
    card.hidden = true;
    shown = null;
  };
  host.addEventListener('pointerover', (event) => {
    const bar = event.target.closest('[data-segment]');
    if (bar === null || event.pointerType === 'touch') return hide();
    if (bar === shown) return;
    shown = bar;
    fillCard(card, Number(bar.dataset.segment));
    card.hidden = false;
    placeCard(card, bar, event.clientX);
  });
  host.addEventListener('pointermove', (event) => {
    if (shown !== null) placeCard(card, shown, event.clientX);
  });
  host.addEventListener('pointerleave', hide);
  host.addEventListener('scroll', hide, { passive: true });
}

function fillCard(card, index) {
  const segment = data.segments[index];
  tint(card, segment.label);
  const picture =
    segment.keyFrame !== null
      ? framePicture(segment.keyFrame, [[index, false]])
      : segment.thumbnail === null
        ? null
        : el('img', { className: 'thumb', src: pictureUrl(segment.thumbnail), alt: '' });
  const text = el('p', {}, el('b', {}, written(segment)), el('small', {}, `${segment.tcStart} – ${segment.tcEnd}`));
  card.replaceChildren(...[picture, text].filter((part) => part !== null));
}

/** Above the bar where there is room, else below it; never beyond the window. */
function placeCard(card, bar, x) {
  const { top, bottom } = bar.getBoundingClientRect();
  const left = Math.min(Math.max(8, x - CARD_WIDTH / 2), document.documentElement.clientWidth - CARD_WIDTH - 8);
  const above = top - card.offsetHeight - CARD_GAP;
  card.style.left = `${left}px`;
  card.style.top = `${above > 8 ? above : bottom + CARD_GAP}px`;
}
