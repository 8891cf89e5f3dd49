import type { VersionRequest } from '@adit/client';
import { isSame, piecesOf, wordsOf, type Paragraph, type Paragraphs } from './paragraph.js';

export type Change = NonNullable<VersionRequest['changes']>[number];

/** Answers a new list that shares unchanged paragraphs; the same list when nothing changed. */
function changed(paragraphs: Paragraphs, id: string, change: (paragraph: Paragraph) => Paragraph): Paragraphs {
  const at = paragraphs.findIndex((each) => each.id === id);
  const before = paragraphs[at];
  if (before === undefined) return paragraphs;
  const after = change(before);
  return isSame(before, after) ? paragraphs : paragraphs.with(at, after);
}

export function withText(paragraphs: Paragraphs, id: string, text: string): Paragraphs {
  return changed(paragraphs, id, (each) => ({ ...each, text, words: wordsOf(each, text) }));
}

export function withSpeaker(paragraphs: Paragraphs, id: string, speaker: string | null): Paragraphs {
  return changed(paragraphs, id, (each) => ({ ...each, speaker }));
}

export function renamed(paragraphs: Paragraphs, from: string | null, to: string | null): Paragraphs {
  if (from === to) return paragraphs;
  return paragraphs.map((each) => (each.speaker === from ? { ...each, speaker: to } : each));
}

export function without(paragraphs: Paragraphs, id: string): Paragraphs {
  return paragraphs.filter((each) => each.id !== id);
}

/** Splits a paragraph at a place of its text; words go with their beginning. The same list where one part would be empty. */
export function split(paragraphs: Paragraphs, id: string, at: number, newId: string): Paragraphs {
  const index = paragraphs.findIndex((each) => each.id === id);
  const whole = paragraphs[index];
  if (whole === undefined) return paragraphs;
  const [first, second] = [whole.text.slice(0, at).trimEnd(), whole.text.slice(at).trimStart()];
  if (first === '' || second === '') return paragraphs;
  const placed = piecesOf(whole).filter(({ word }) => word !== null);
  const cut = placed.find(({ from, text }) => from + text.length > at)?.word ?? whole.words.length;
  const [before, after] = [whole.words.slice(0, cut), whole.words.slice(cut)];
  const end = Math.min(Math.max(before.at(-1)?.time_end ?? whole.time_start, whole.time_start), whole.time_end);
  const start = Math.min(Math.max(after[0]?.time_start ?? end, end), whole.time_end);
  const head = { ...whole, time_end: end, words: before };
  const tail = { ...whole, id: newId, revision: 0, time_start: start, words: after };
  return paragraphs.toSpliced(
    index,
    1,
    { ...head, text: first, words: wordsOf(head, first) },
    { ...tail, text: second, words: wordsOf(tail, second) },
  );
}

/** Joins a paragraph with the one before it, whose speaker counts; `at` is where the texts meet. Null for the first. */
export function joined(
  paragraphs: Paragraphs,
  id: string,
): { paragraphs: Paragraphs; into: string; at: number } | null {
  const index = paragraphs.findIndex((each) => each.id === id);
  const [before, own] = [paragraphs[index - 1], paragraphs[index]];
  if (before === undefined || own === undefined) return null;
  const gap = before.text === '' || own.text === '' ? '' : ' ';
  const whole = {
    ...before,
    text: `${before.text}${gap}${own.text}`,
    time_end: Math.max(before.time_end, own.time_end),
    words: [...before.words, ...own.words],
  };
  return {
    paragraphs: paragraphs.toSpliced(index - 1, 2, whole),
    into: before.id,
    at: before.text.length + gap.length,
  };
}

/** The service's limit of a paragraph. */
export const MAX_CHARACTERS = 10_000;

/** The changes that turn `base` into `now`. Paragraphs that `base` lacks are new. */
export function changesOf(base: Paragraphs, now: Paragraphs): Change[] {
  const known = new Map(base.map((each) => [each.id, each]));
  const kept = new Set(now.map(({ id }) => id));
  const changes: Change[] = [];
  let after: string | null = null;
  for (const { id, text, speaker, time_start, time_end, ...rest } of now) {
    const before = known.get(id);
    if (before === undefined) {
      changes.push({ after, text, speaker, time_start, time_end });
      continue;
    }
    after = id;
    const own = { id, text, speaker, time_start, time_end };
    if (isSame(before, { ...own, ...rest })) continue;
    changes.push({
      id,
      ...(text !== before.text && { text }),
      ...(speaker !== before.speaker && { speaker }),
      ...(time_start !== before.time_start && { time_start }),
      ...(time_end !== before.time_end && { time_end }),
    });
  }
  for (const { id } of base) if (!kept.has(id)) changes.push({ id, remove: true });
  return changes;
}
