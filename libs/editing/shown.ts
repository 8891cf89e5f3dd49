import type { EditEvent } from './edit-list.js';

/** The longest text beside an event; what is longer stands in the transcript. */
const MAX_LENGTH = 250;

/** A text on one line, of letters that can be seen. */
export function oneLine(text: string, longest = MAX_LENGTH): string {
  const line = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, longest * 2);
  const letters = Array.from(line);
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join('')}…`;
}

/** Returns the name of an event. */
export function nameOf({ label, speaker, module }: EditEvent): string {
  return oneLine(speaker ?? label) || module;
}

/** Returns the note beside its name: the words, and the module that found it. */
export function noteOf(event: EditEvent): string {
  const words = oneLine(event.text);
  return words === '' ? event.module : `${event.module}: ${words}`;
}
