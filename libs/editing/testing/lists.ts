import type { EditEvent, EditList, EditSource } from '../edit-list.js';
import { knownRate, type EditRate } from '../edit-rate.js';
import { EDIT_FORMATS } from '../formats.js';

export function rate(num: number, den: number, drop = false): EditRate {
  const known = knownRate({ num, den }, drop);
  if (known === null) throw new RangeError(`${num}/${den} is not known.`);
  return known;
}

export const RATES: [string, EditRate][] = [
  ['23.976', rate(24_000, 1001)],
  ['24', rate(24, 1)],
  ['25', rate(25, 1)],
  ['29.97 drop-frame', rate(30_000, 1001, true)],
  ['29.97', rate(30_000, 1001)],
  ['50', rate(50, 1)],
  ['59.94 drop-frame', rate(60_000, 1001, true)],
  ['59.94', rate(60_000, 1001)],
];

export function sourceOf(editRate: EditRate, more: Partial<EditSource> = {}): EditSource {
  return {
    index: 0,
    name: 'Evening "News" & more.mov',
    location: '/media/Evening News & more.mov',
    reel: 'EVENING',
    tape: 'EVENING',
    rate: editRate,
    firstFrame: 0,
    length: 1_000_000,
    size: { width: 1280, height: 720 },
    hasSound: true,
    ...more,
  };
}

export function listOf(events: EditEvent[], sources: EditSource[], editRate: EditRate): EditList {
  return {
    title: 'A job',
    rate: editRate,
    sources,
    events: async function* () {
      yield* events;
    },
  };
}

export async function written(name: keyof typeof EDIT_FORMATS, list: EditList): Promise<string> {
  return String(await bytesOf(name, list));
}

export async function bytesOf(name: keyof typeof EDIT_FORMATS, list: EditList): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of EDIT_FORMATS[name].write(list)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
