import type { EditFormat } from '../edit-format.js';
import type { EditEvent } from '../edit-list.js';
import { nameOf } from '../shown.js';

/** Chapters of a player (WebVTT, W3C, `kind="chapters"`): what was found, from when to when, in time of the film. */
export const vtt: EditFormat = {
  mimeType: 'text/vtt; charset=utf-8',
  extension: 'vtt',
  layout: 'in place',
  mixesRates: false,
  passes: 1,
  async *write({ events }) {
    yield 'WEBVTT\n\n';
    for await (const event of events()) {
      yield `${clock(event, event.start)} --> ${clock(event, event.end)}\n${escaped(nameOf(event))}\n\n`;
    }
  },
};

/** HH:MM:SS.mmm of a frame, never before it, so that a player that goes there shows it. */
function clock({ source }: EditEvent, frame: number): string {
  const { num, den } = source.rate.fps;
  const milliseconds = Math.ceil((frame * den * 1000) / num - 1e-6);
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${time}.${String(milliseconds % 1000).padStart(3, '0')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
