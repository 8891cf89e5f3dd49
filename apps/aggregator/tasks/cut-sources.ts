import { masterAddress, SpeechMeta, type Conform } from '@adit/contracts';
import type { JobSourceEntity } from '@adit/database';
import {
  intervalOf,
  isSameRate,
  reelsOf,
  timelineOf,
  type EditEvent,
  type EditFormat,
  type EditSource,
  type SourceTimeline,
} from '@adit/editing';
import { nameOfSource, segmentLabel } from '@adit/presentation';
import type { PlainSegment } from '../endings/job-results.js';

/** A film or recording that can be cut. */
export interface Footage {
  jobId: string;
  /** Index in the job. */
  index: number;
  name: string;
  location: string;
  /** As its job says it. */
  reel: string | null;
  timeline: SourceTimeline;
}

/** A source of a list with its frame counting. */
export interface CutSource {
  footage: Footage;
  source: EditSource;
  timeline: SourceTimeline;
}

/** Null for what has no timeline, as pictures, and for what could not be read. `conform` is what the job says of its master. */
export function footageOf(row: JobSourceEntity, conform: Conform | null): Footage | null {
  const timeline = row.facts === null ? null : timelineOf(row.facts, conform);
  if (timeline === null) return null;
  return { jobId: row.jobId, index: row.index, ...mediaOf(row, conform), reel: conform?.reel ?? null, timeline };
}

/** Sources of one list, in this order. */
export function cutSources(all: readonly Footage[]): CutSource[] {
  const reels = reelsOf(all);
  return all.map((footage, index) => {
    const { name, location, timeline } = footage;
    const { byFrames: _, ...counted } = timeline;
    const reel = reels[index] ?? '';
    const source = { index, name, location, reel, tape: footage.reel ?? reel, ...counted };
    return { footage, source, timeline };
  });
}

/** Lists of what a file of the format can hold together: each film where it has one timeline, those of each rate where it has one. */
export function listsOf(all: readonly Footage[], { layout, mixesRates }: EditFormat): Footage[][] {
  if (layout === 'in place') return all.map((footage) => [footage]);
  if (mixesRates) return all.length === 0 ? [] : [[...all]];
  const lists: Footage[][] = [];
  for (const footage of all) {
    const list = lists.find(([first]) => first !== undefined && isSameRate(first.timeline.rate, footage.timeline.rate));
    if (list === undefined) lists.push([footage]);
    else list.push(footage);
  }
  return lists;
}

export function titleOf(sources: readonly EditSource[]): string {
  const [first] = sources;
  return sources.length > 1 ? `${first?.name} and ${sources.length - 1} more` : (first?.name ?? '');
}

export function eventOf(segment: PlainSegment, { source, timeline }: CutSource, handles: number): EditEvent {
  const { moduleId: module, meta } = segment;
  const { text, speaker, person } = meta;
  return {
    ...{ source, ...intervalOf(segment, timeline, handles), module },
    label: typeof person === 'string' && segment.identityNumber === null ? person : segmentLabel(segment),
    text: typeof text === 'string' ? text : '',
    ...wordsOf(meta),
    speaker: typeof speaker === 'string' && speaker !== '' ? speaker : null,
  };
}

/** Words of speech with their times, where the job asked for these. */
function wordsOf(meta: PlainSegment['meta']): Pick<EditEvent, 'words'> {
  const words = Array.isArray(meta['words']) ? SpeechMeta.shape.words.safeParse(meta['words']).data : undefined;
  return words === undefined ? {} : { words };
}

/** Name and location of the media that editing programs are to find: the master's, where the job names one. */
function mediaOf({ uri, name }: JobSourceEntity, conform: Conform | null): { name: string; location: string } {
  const own = nameOfSource(uri, name);
  if (conform?.master === undefined) return { name: own, location: locationOf(uri) };
  const location = locationOf(masterAddress(conform.master));
  // A UMID is no name that people read.
  return { name: location.startsWith('urn:') ? own : nameOfSource(location, null), location };
}

/** Removes what may be a key from a web address, before its host and after its path: lists of cuts are passed on. */
function locationOf(uri: string): string {
  return /^https?:/i.test(uri) ? uri.replace(/[?#].*$/s, '').replace(/^(https?:\/\/)[^/]*@/i, '$1') : uri;
}
