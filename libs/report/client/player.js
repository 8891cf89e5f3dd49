// The film itself, where it lies beside the report or is chosen from the disk: boxes and names follow it.
import { data, el, makeBox, placeBox, select, tint, written } from './page.js';
import { boxesAt, appearancesOf } from './tracks.js';
import { duration } from './time.js';

/** Seconds, and the share of it, by which a film may be longer or shorter than the one that was mined. */
const LENGTH_APART = 1;
const SHARE_APART = 0.01;

const players = [];

/** Returns addresses that a film may have by default: beside the report, or where it was mined from. */
function places({ source, name }) {
  if (name === '') return [];
  const beside = `./${encodeURIComponent(name)}`;
  // Two slashes would name another machine.
  const mined = document.location.protocol === 'file:' && /^\/[^/\\]/.test(source);
  return mined ? [beside, `file://${source.split('/').map(encodeURIComponent).join('/')}`] : [beside];
}

/** Plays the source of a section: `host` takes the player, `clock` says and hears where it is. */
export function startPlayer(host, sourceIndex, clock) {
  const source = data.sources[sourceIndex];
  const sound = source.resolution === null;
  const media = el(sound ? 'audio' : 'video', {
    controls: true,
    preload: 'metadata',
    'aria-label': source.name,
  });
  const marks = el('div', { className: 'marks' });
  const now = el('p', { className: 'now' });
  const frame = el('div', { className: sound ? 'hearing' : 'frame watching' }, media, marks);
  const toggle = el('button', { type: 'button', className: 'quiet', 'aria-pressed': 'true' }, 'Boxes');
  toggle.addEventListener('click', () => {
    marks.hidden = !marks.hidden;
    toggle.setAttribute('aria-pressed', String(!marks.hidden));
  });
  const player = el(
    'div',
    { className: 'player', hidden: true },
    frame,
    el('div', { className: 'under' }, now, sound ? null : toggle),
  );
  const note = el('p', { className: 'note', role: 'status' });
  const input = el('input', {
    type: 'file',
    accept: 'video/*,audio/*,.mkv,.mxf,.ts',
    multiple: data.sources.length > 1,
  });
  const what = sound ? 'recording' : 'film';
  const label = el('label', { className: 'pick' }, el('span', {}, `Choose the ${what}…`), input);
  const choose = el('div', { className: 'choose' }, label, note);
  host.append(player, choose);
  note.textContent = `The ${what} was not found beside this page. Chosen from your disk it plays here, and goes nowhere.`;

  let address = null;
  const guesses = places(source);
  const guess = () => {
    const next = guesses.shift();
    if (next === undefined) media.removeAttribute('src');
    else media.src = next;
  };
  const play = (file) => {
    if (address !== null) URL.revokeObjectURL(address);
    address = URL.createObjectURL(file);
    guesses.length = 0;
    note.textContent = `Opening ${file.name} …`;
    media.src = address;
  };
  players.push({ name: source.name, media, play });
  input.addEventListener('change', () => playChosen(input.files, play));

  media.addEventListener('error', () => {
    if (address === null) return guess();
    player.hidden = true;
    note.textContent = 'This browser cannot play that file. A copy of it as MP4 (H.264) or WebM would do.';
  });
  media.addEventListener('loadedmetadata', () => {
    player.hidden = false;
    label.firstChild.textContent = 'Another file…';
    if (!sound && media.videoWidth > 0) frame.style.aspectRatio = `${media.videoWidth} / ${media.videoHeight}`;
    const apart = Math.abs(media.duration - (source.duration ?? media.duration));
    note.textContent =
      apart > LENGTH_APART + SHARE_APART * media.duration
        ? `This file lasts ${duration(media.duration)}, what was mined ${duration(source.duration)}: it may be another one, or cut otherwise.`
        : '';
    clock.jump(clock.time());
  });
  media.addEventListener('play', () => {
    for (const other of players) if (other.media !== media) other.media.pause();
    follow();
  });
  for (const event of ['seeked', 'timeupdate'])
    media.addEventListener(event, () => clock.tell(media.currentTime, !media.paused));
  function follow() {
    if (media.paused) return;
    clock.tell(media.currentTime, true);
    requestAnimationFrame(follow);
  }
  // In the middle of a frame, so that rounding never shows the one before.
  const half = source.fps ? 0.5 / source.fps : 0;
  clock.drive((time) => {
    if (media.readyState > 0) media.currentTime = Math.min(time + half, media.duration || Infinity);
  });
  const shown = shownAt(sourceIndex, sound ? null : marks, now);
  clock.listen((time) => {
    if (!player.hidden) shown(time);
  });
  // A report may be of a thousand films: each is looked for when one comes to it.
  let sought = false;
  const seek = () => {
    if (!sought && address === null) guess();
    sought = true;
  };
  clock.drive(seek);
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    seek();
  }).observe(host);
}

/** Several files at once are each played by the source of their name. */
function playChosen(files, play) {
  if (files.length === 1) return play(files[0]);
  for (const file of files) for (const player of players) if (player.name === file.name) player.play(file);
}

/** Keeps the boxes on the picture, and the names below it, those of a time. */
function shownAt(sourceIndex, marks, now) {
  const segments = [];
  data.segments.forEach((segment, index) => {
    if (segment.sourceIndex !== sourceIndex || segment.type === 'silence') return;
    segments.push({ segment, index, looks: null });
  });
  let drawn = new Map();
  let names = '';
  return (time) => {
    const current = segments.filter(({ segment }) => segment.timeStart <= time + 0.02 && time <= segment.timeEnd + 0.5);
    const next = new Map();
    for (const one of marks === null ? [] : current) {
      if (one.segment.track === undefined) continue;
      one.looks ??= appearancesOf(one.segment);
      for (const [place, box] of boxesAt(one.looks, time).entries()) {
        const key = `${one.index}:${place}`;
        const mark = drawn.get(key) ?? makeBox(one.index, box, 'box', place === 0);
        placeBox(mark, box);
        if (!drawn.has(key)) marks.append(mark);
        next.set(key, mark);
      }
    }
    for (const [key, mark] of drawn) if (!next.has(key)) mark.remove();
    drawn = next;
    const told = current.filter(({ segment }) => segment.meta.text === undefined);
    const key = told.map(({ index }) => index).join();
    if (key === names) return;
    names = key;
    const chips = new Map(told.map(({ segment, index }) => [`${segment.type} ${segment.label}`, { segment, index }]));
    now.replaceChildren(
      ...[...chips.values()].map(({ segment, index }) =>
        tint(
          el('button', { type: 'button', className: 'chip', onclick: () => select(index, 'player') }, written(segment)),
          segment.label,
        ),
      ),
    );
  };
}
