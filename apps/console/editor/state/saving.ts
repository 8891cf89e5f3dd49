import { changesOf, type Change } from '../model/edits.js';
import type { History } from '../model/history.js';
import { merge, type Conflict } from '../model/merge.js';
import { isSame, type Paragraphs } from '../model/paragraph.js';

/** A version as the service has it. */
export interface Base {
  version: number;
  paragraphs: Paragraphs;
}

/** The part of the service that saving needs. */
export interface Versions {
  /** Answers the new version; null when `seen` is no longer the newest. */
  write(seen: number, changes: Change[]): Promise<number | null>;
  newest(): Promise<Base>;
  /** All of a version, or some of its paragraphs. */
  load(version: number, ids: string[] | null): Promise<Paragraphs>;
}

export interface Saved {
  base: Base;
  /** When there are any, nothing more was saved: the user settles them first. */
  conflicts: Conflict[];
  /** Paragraphs of others that came in. */
  taken: number;
}

/** Limits of one request, below those of the service. */
const MAX_CHANGES = 1_000;
const MAX_BODY_CHARACTERS = 2_000_000;
/** Limit of paragraphs that are read one by one; beyond it the whole version is read. */
const MAX_SINGLE_READS = 20;
/** Limit of versions that others save before ours. */
const MAX_ROUNDS = 20;

/**
 * Saves the edits as a version, or as several when they exceed one request. Versions that others saved meanwhile are merged
 * first, by paragraph. Edits made while this runs stay unsaved.
 */
export async function save(versions: Versions, from: Base, history: History): Promise<Saved> {
  let base = from;
  let taken = 0;
  let rounds = 0;
  const goal = { ids: new Set<string>() };
  let sent = history.present;
  for (;;) {
    const changes = changesOf(base.paragraphs, sent);
    if (changes.length === 0) return { base: await withWords(versions, base, history, goal.ids), conflicts: [], taken };
    const some = firstOf(changes);
    const version = await versions.write(base.version, some);
    if (version === null) {
      if ((rounds += 1) > MAX_ROUNDS) throw new Error('Others are saving all the time; try again in a moment.');
      const newest = await versions.newest();
      const merged = merge(base.paragraphs, history.present, newest.paragraphs);
      history.rebase(merged.paragraphs);
      base = newest;
      taken += merged.taken;
      if (merged.conflicts.length > 0) return { base, conflicts: merged.conflicts, taken };
      sent = history.present;
      continue;
    }
    for (const change of some) if ('id' in change && 'text' in change) goal.ids.add(change.id);
    if (some.every((change) => 'id' in change && !('remove' in change))) {
      base = { version, paragraphs: withEdits(base.paragraphs, sent, some, version) };
      continue;
    }
    const paragraphs = await versions.load(version, null);
    const names = newNames(base.paragraphs, sent, paragraphs, some);
    history.rename(names);
    sent = sent.map((each) => ({ ...each, id: names.get(each.id) ?? each.id }));
    base = { version, paragraphs };
  }
}

/** Takes new paragraphs first, in reverse order: each is inserted right behind the paragraph that it names. */
function firstOf(changes: Change[]): Change[] {
  const added = changes.filter((change) => 'after' in change);
  const others = changes.filter((change) => !('after' in change));
  const some = added.length > 0 ? added.slice(-MAX_CHANGES) : [];
  const rest = others.slice(0, MAX_CHANGES - some.length);
  let characters = 0;
  const fits = [...some.reverse(), ...rest].filter((change, at) => {
    characters += 'text' in change ? (change.text ?? '').length : 0;
    return at === 0 || characters <= MAX_BODY_CHARACTERS;
  });
  const kept = new Set(fits);
  return changes.filter((change) => kept.has(change));
}

/** The version as the service has it after edits; their aligned words are not known yet. */
function withEdits(base: Paragraphs, sent: Paragraphs, changes: Change[], revision: number): Paragraphs {
  const edited = new Set(changes.flatMap((change) => ('id' in change ? change.id : [])));
  const now = new Map(sent.map((each) => [each.id, each]));
  return base.map((each) => (edited.has(each.id) ? { ...(now.get(each.id) ?? each), revision } : each));
}

/** Maps ids of new paragraphs to those of the service: both lists have them in the same order. */
function newNames(before: Paragraphs, sent: Paragraphs, after: Paragraphs, changes: Change[]): Map<string, string> {
  const known = new Set(before.map(({ id }) => id));
  const made = after.filter(({ id }) => !known.has(id));
  const count = changes.filter((change) => 'after' in change).length;
  const own = sent.filter(({ id }) => !known.has(id)).slice(-count);
  return new Map(own.flatMap(({ id }, at) => (made[at] === undefined ? [] : [[id, made[at].id]])));
}

/** Reads the words of edited paragraphs as the service has aligned them, and puts them into the edited text, too. */
async function withWords(versions: Versions, base: Base, history: History, edited: Set<string>): Promise<Base> {
  const ids = [...edited];
  const read = ids.length === 0 ? [] : await versions.load(base.version, ids.length > MAX_SINGLE_READS ? null : ids);
  const fresh = new Map(read.map((each) => [each.id, each]));
  const paragraphs = base.paragraphs.map((each) => fresh.get(each.id) ?? each);
  const known = new Map(paragraphs.map((each) => [each.id, each]));
  history.replace(
    history.present.map((each) => {
      const saved = known.get(each.id);
      return saved !== undefined && isSame(saved, each) ? saved : each;
    }),
  );
  return { version: base.version, paragraphs };
}
