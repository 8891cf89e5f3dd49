// Shared parts of the page: the data, elements made without any HTML parsing, and the selection.

export const data = JSON.parse(document.getElementById('adit-results').textContent);

/** An element; strings become text, so nothing a client wrote is ever read as markup. */
export function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== 'role') element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const urls = new Map();

/** Address of an embedded picture; made when first shown. */
export function pictureUrl(id) {
  let url = urls.get(id);
  if (url === undefined) {
    const bytes = Uint8Array.from(atob(data.pictures[id]), (character) => character.charCodeAt(0));
    url = URL.createObjectURL(new Blob([bytes], { type: 'image/jpeg' }));
    urls.set(id, url);
  }
  return url;
}

/** Gives an element the colour of a label. */
export function tint(element, label) {
  const hue = data.hues[label];
  element.style.setProperty('--hue', String(hue ?? 0));
  element.style.setProperty('--chroma', hue === undefined ? '0' : '0.16');
  return element;
}

/** Whoever was told apart comes before the merely unknown, who are anybody. */
export function rankOf(segment) {
  return segment.label === 'unknown' ? 1 : 0;
}

/** Least similarity, 0..1, at which a face is given a name: what a job's largest distance comes to. */
export function nameThreshold() {
  const distance = data.job.modules.face_recognition?.max_distance ?? 1;
  return Math.max(0, 1 - distance ** 2 / 2);
}

/** Kinds in the order shown, with the names of several; others follow under their own. */
const KINDS = {
  face: 'People',
  lower_third: 'Captions',
  speech: 'Speech',
  translation: 'Translation',
  landmark: 'Places',
  scene: 'Scenes',
  object: 'Things',
};

export const kindName = (type) => KINDS[type] ?? type.replaceAll('_', ' ');

export function kindOrder(type) {
  const place = Object.keys(KINDS).indexOf(type);
  return place < 0 ? Infinity : place;
}

/** A label as it is written: what was said or read stands in quotes. */
export function written({ type, label, meta }) {
  if (typeof meta?.text === 'string') return `“${meta.text}”`;
  return type === 'lower_third' ? `“${label}”` : label;
}

export const isStill = (source) => source.mediaType === 'image' || source.mediaType === 'pdf';

const listeners = [];
const goers = [];
let selected = -1;

/** `listener(index, origin)` hears of every newly selected segment. */
export function onSelect(listener) {
  listeners.push(listener);
}

/** `goer(index)` hears of every segment that somebody goes to, also of the one that is selected already. */
export function onGoTo(goer) {
  goers.push(goer);
}

export function select(index, origin) {
  if (origin !== 'page') for (const goer of goers) goer(index);
  if (index === selected) return;
  selected = index;
  for (const listener of listeners) listener(index, origin);
}

export const selectedIndex = () => selected;

/** A picture of the whole frame with boxes: `[segmentIndex, emphasised]` each. */
export function framePicture(keyFrame, boxes, onPick) {
  const figure = el('div', { className: 'frame' });
  figure.style.aspectRatio = `${keyFrame.width} / ${keyFrame.height}`;
  figure.style.setProperty('--ratio', String(keyFrame.width / keyFrame.height));
  figure.append(el('img', { src: pictureUrl(keyFrame.picture), alt: '' }));
  for (const [index, emphasised] of boxes) {
    for (const [place, box] of (data.segments[index].keyFrame?.boxes ?? []).entries()) {
      const className = emphasised ? 'box strong' : boxes.length > 1 ? 'box shy' : 'box';
      // Several of one kind: the name once, the boxes say the rest.
      const mark = makeBox(index, box, className, place === 0, onPick ? 'button' : 'div');
      if (onPick) {
        mark.type = 'button';
        mark.addEventListener('click', () => onPick(index));
      }
      figure.append(mark);
    }
  }
  const marked = new Set(boxes.map(([index]) => index));
  for (const [index, box] of keyFrame.faces) if (!marked.has(index)) figure.append(makeBox(index, box, 'box', true));
  return figure;
}

export function makeBox(index, box, className, named, tag = 'div') {
  const segment = data.segments[index];
  const mark = el(tag, { className, title: segment.label }, named ? el('span', {}, written(segment)) : null);
  return placeBox(tint(mark, segment.label), box);
}

/** Puts a box where its fractions of the frame say. */
export function placeBox(mark, box) {
  const [x, y, w, h] = box.map((part) => `${(part * 100).toFixed(3)}%`);
  Object.assign(mark.style, { left: x, top: y, width: w, height: h });
  mark.classList.toggle('below', box[1] < 0.08);
  return mark;
}
