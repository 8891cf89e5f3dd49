import { isSame, type Paragraph, type Paragraphs } from './paragraph.js';

/** A paragraph that two people changed incompatibly. Null stands for a removed one. */
export interface Conflict {
  id: string;
  base: Paragraph;
  mine: Paragraph | null;
  theirs: Paragraph | null;
}

export interface Merged {
  /** Contains my side of each conflict; theirs where I removed the paragraph. */
  paragraphs: Paragraphs;
  conflicts: Conflict[];
  /** Number of their changes that were taken. */
  taken: number;
}

/**
 * Merges two edits of `base` by paragraph. Within one paragraph, the text with its extent and the speaker may come from either
 * side. My new paragraphs stay behind the paragraph that they stood behind.
 */
export function merge(base: Paragraphs, mine: Paragraphs, theirs: Paragraphs): Merged {
  const [old, own, other] = [byId(base), byId(mine), byId(theirs)];
  const conflicts: Conflict[] = [];
  const result: Paragraph[] = [];
  let taken = base.filter(({ id }) => !other.has(id)).length;
  for (const their of theirs) {
    const [before, my] = [old.get(their.id), own.get(their.id)];
    if (before === undefined || !isSame(before, their)) taken += 1;
    if (before === undefined) result.push(my ?? their);
    else if (my === undefined) {
      if (isSame(before, their)) continue;
      conflicts.push({ id: their.id, base: before, mine: null, theirs: their });
      result.push(their);
    } else {
      const both = mergeOne(before, my, their);
      if (both === null) conflicts.push({ id: their.id, base: before, mine: my, theirs: their });
      result.push(both ?? { ...my, revision: their.revision });
    }
  }
  // A save whose answer was lost has written paragraphs; their content identifies them.
  const added = theirs.filter(({ id }) => !old.has(id) && !own.has(id));
  const places = new Map(result.map(({ id }, at) => [id, at]));
  const behind = lastBefore(base, places);
  const put = new Map<number, Paragraph[]>();
  let place = -1;
  for (const my of mine) {
    place = places.get(my.id) ?? place;
    if (places.has(my.id)) continue;
    const before = old.get(my.id);
    if (before === undefined && added.some((each) => isSame(each, my))) continue;
    if (before !== undefined) {
      // They removed it.
      if (isSame(before, my)) continue;
      conflicts.push({ id: my.id, base: before, mine: my, theirs: null });
      place = Math.max(place, behind.get(my.id) ?? -1);
    }
    put.set(place, [...(put.get(place) ?? []), my]);
  }
  const paragraphs = [...(put.get(-1) ?? []), ...result.flatMap((each, at) => [each, ...(put.get(at) ?? [])])];
  return { paragraphs, conflicts, taken };
}

/** Maps each paragraph to the place of the last one before it that has a place. */
function lastBefore(paragraphs: Paragraphs, places: ReadonlyMap<string, number>): Map<string, number> {
  let last = -1;
  return new Map(
    paragraphs.map(({ id }) => {
      last = places.get(id) ?? last;
      return [id, last];
    }),
  );
}

/** The list with a conflict settled. */
export function settled(paragraphs: Paragraphs, { id, theirs, mine }: Conflict, choice: 'mine' | 'theirs'): Paragraphs {
  const chosen = choice === 'mine' ? mine : theirs;
  if (chosen === null) return paragraphs.filter((each) => each.id !== id);
  return paragraphs.map((each) => (each.id === id ? { ...chosen, revision: theirs?.revision ?? each.revision } : each));
}

/** Merges one paragraph; null when it is a conflict. */
function mergeOne(base: Paragraph, mine: Paragraph, theirs: Paragraph): Paragraph | null {
  if (isSame(base, mine) || isSame(mine, theirs)) return theirs;
  if (isSame(base, theirs)) return { ...mine, revision: theirs.revision };
  const sameExtent = (a: Paragraph, b: Paragraph) => a.time_start === b.time_start && a.time_end === b.time_end;
  // Words go with the text and its extent.
  const isMine = mine.text !== base.text || !sameExtent(mine, base);
  const isTheirs = theirs.text !== base.text || !sameExtent(theirs, base);
  const apart = mine.text !== theirs.text || !sameExtent(mine, theirs);
  if (isMine && isTheirs && apart) return null;
  const speakers = new Set([mine.speaker, theirs.speaker].filter((speaker) => speaker !== base.speaker));
  if (speakers.size > 1) return null;
  const [speaker = base.speaker] = speakers;
  return { ...(isMine ? mine : theirs), revision: theirs.revision, speaker };
}

function byId(paragraphs: Paragraphs): Map<string, Paragraph> {
  return new Map(paragraphs.map((each) => [each.id, each]));
}
