import { clockTime } from '@adit/contracts';
import type { EditFormat } from '../edit-format.js';
import type { EditEvent } from '../edit-list.js';
import { nameOf } from '../shown.js';

/** Chapters of a player (WebVTT, W3C, `kind="chapters"`): what was found, from when to when, in time of the film. */
export const vtt: EditFormat<'vtt'> = {
  name: 'vtt',
  mimeType: 'text/vtt; charset=utf-8',
  extension: 'vtt',
  layout: 'in place',
  mixesRates: false,
  needsSource: true,
  passes: 1,
  async *write({ events }) {
    yield 'WEBVTT\n\n';
    for await (const event of events()) {
      yield `${clock(event, event.start)} --> ${clock(event, event.end)}\n${escaped(nameOf(event))}\n\n`;
    }
  },
};

/** When a frame begins, never before it, so that a player that goes there shows it. */
function clock({ source }: EditEvent, frame: number): string {
  const { num, den } = source.rate.fps;
  return clockTime(Math.ceil((frame * den * 1000) / num - 1e-6), '.');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
