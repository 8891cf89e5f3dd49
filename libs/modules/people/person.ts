import { elementAt } from '@adit/contracts';
import { bridges } from '@adit/module-kit';
import type { Instant } from '@adit/module-kit';
import { distanceOf, dot, normalised } from '../galleries/embedding.js';
import { decodeFace, encodeFace } from './face-code.js';
import { addTraits } from '../face_recognition/traits.js';
import type { Traits } from '../face_recognition/traits.js';

/** A person of a source, with all appearances so far. JSON, since the fold keeps it. */
export type Person = {
  /** Index among the people of the galleries; null for an unknown one. */
  known: number | null;
  /** Direction of all views together, by which unknown people are recognised. */
  face: string;
  traits: Traits;
  /** Sample in which they were first seen. */
  first: number;
  /** Seconds that are final. */
  seconds: number;
  /** Appearances that may still be joined with later ones, in order, separate. */
  spans: Span[];
  /** Final times: alternating start and end in seconds; states of earlier builds have none. */
  shown?: number[];
};

/** `until`: time of the next sample, or the end of the analysed part, in seconds. */
type Span = { start: Instant; end: Instant; until: number };

/** A followed face from its first to its last sample. */
export interface Appearance extends Span {
  known: number | null;
  /** Unit vector. */
  face: Float32Array;
  traits: Traits;
}

export function newPerson({ known, face, traits, start, end, until }: Appearance): Person {
  return { known, face: encodeFace(face), traits, first: start.sample, seconds: 0, spans: [{ start, end, until }] };
}

/** Adds an appearance to a person; two simultaneous ones (a mirror) count once. */
export function withAppearance(person: Person, seen: Appearance): Person {
  const before = decodeFace(person.face);
  const weight = person.traits.weight;
  const mean = Float64Array.from(before, (value, index) => {
    return value * weight + elementAt(seen.face, index) * seen.traits.weight;
  });
  return {
    ...person,
    face: encodeFace(normalised(mean) ?? before),
    traits: addTraits(person.traits, seen.traits),
    first: Math.min(person.first, seen.start.sample),
    spans: joinSpans([...person.spans, { start: seen.start, end: seen.end, until: seen.until }]),
  };
}

/** Tests whether an appearance of the person, possibly joined from several, overlaps this one. */
export function isShownDuring({ spans }: Person, { start, end }: Span): boolean {
  return spans.some((span) => span.start.sample <= end.sample && start.sample <= span.end.sample);
}

/** Counts the appearances that nothing from `horizon` on can extend. */
export function settled(person: Person, horizon: Instant): Person {
  const isOver = ({ end }: Span) => end.sample < horizon.sample && !bridges(end, horizon);
  if (!person.spans.some(isOver)) return person;
  return {
    ...person,
    seconds: person.seconds + secondsOf(person.spans.filter(isOver)),
    spans: person.spans.filter((span) => !isOver(span)),
    shown: [...(person.shown ?? []), ...timesOf(person.spans.filter(isOver))],
  };
}

/** Returns when they are visible, including short absences: alternating start and end in seconds, in order. */
export function timesShown(person: Person): number[] {
  return [...(person.shown ?? []), ...timesOf(person.spans)];
}

/** Returns the seconds that show them, including short absences. */
export function secondsSeen(person: Person): number {
  return person.seconds + secondsOf(person.spans);
}

/** Distance of two faces, 0..2. */
export function distanceTo(person: Person, face: Float32Array): number {
  return distanceOf(dot(decodeFace(person.face), face));
}

function secondsOf(spans: Span[]): number {
  return spans.reduce((sum, { start, until }) => sum + until - start.time, 0);
}

function timesOf(spans: Span[]): number[] {
  return spans.flatMap(({ start, until }) => [start.time, until].map((time) => Math.round(time * 100) / 100));
}

function joinSpans(spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start.sample - b.start.sample || a.end.sample - b.end.sample)) {
    const last = joined.at(-1);
    if (last !== undefined && (last.end.sample >= span.start.sample || bridges(last.end, span.start))) {
      if (span.end.sample > last.end.sample) joined[joined.length - 1] = { ...span, start: last.start };
    } else joined.push(span);
  }
  return joined;
}
