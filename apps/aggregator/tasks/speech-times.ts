import { elementAt, type PersonShown } from '@adit/contracts';

/** Seconds from the beginning of a source. */
export interface Span {
  start: number;
  end: number;
}

/** A recognised name with its time. */
export interface Caption extends Span {
  name: string;
}

/** Seconds of speech by gender, age and name of the likely speaker. */
export interface SpeechTimes {
  gender: Record<string, number>;
  age: Record<string, number>;
  /** People without a name are `Unknown`. */
  name: Record<string, number>;
}

interface SpeakerInterval extends Span {
  people: number[];
}

const UNNAMED = 'Unknown';

/**
 * Estimates speaking times. Speech belongs to the faces on screen, in equal parts where there are several, and to
 * nobody where there is none. An unknown person gets the name of a caption that is shown while they are alone. So
 * nobody speaks for longer than they are shown, and all together not for longer than there is speech; a reporter off
 * screen counts as the person on screen.
 */
export class SpeechClock {
  private readonly intervals: SpeakerInterval[];
  private readonly seconds: number[];

  constructor(private readonly people: readonly PersonShown[]) {
    this.intervals = speakerIntervals(people);
    this.seconds = people.map(() => 0);
  }

  /** Adds speech; spans come in order and do not overlap. */
  addSpeech({ start, end }: Span): void {
    for (const interval of this.during(start, end)) {
      const time = Math.min(end, interval.end) - Math.max(start, interval.start);
      for (const person of interval.people) {
        this.seconds[person] = elementAt(this.seconds, person) + time / interval.people.length;
      }
    }
  }

  times(captions: readonly Caption[]): SpeechTimes {
    const names = this.names(captions);
    const [gender, age, name] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
    for (const [at, person] of this.people.entries()) {
      const seconds = elementAt(this.seconds, at);
      if (seconds === 0) continue;
      add(gender, person.gender, seconds);
      add(age, person.age, seconds);
      if (person.listed) add(name, person.label ?? names.get(at) ?? UNNAMED, seconds);
    }
    return { gender: Object.fromEntries(gender), age: Object.fromEntries(age), name: Object.fromEntries(name) };
  }

  /** Names from captions of people whom no gallery knows: the one that is shown longest while the person is alone. */
  private names(captions: readonly Caption[]): Map<number, string> {
    const together = new Map<number, Map<string, number>>();
    for (const { start, end, name } of captions) {
      for (const interval of this.during(start, end)) {
        const [person, another] = interval.people;
        if (person === undefined || another !== undefined) continue;
        const own = together.get(person) ?? new Map<string, number>();
        add(own, name, Math.min(end, interval.end) - Math.max(start, interval.start));
        together.set(person, own);
      }
    }
    const names = new Map<number, string>();
    for (const [person, own] of together) {
      const [longest] = [...own].sort(([a, time], [b, other]) => other - time || (a < b ? -1 : 1));
      if (longest !== undefined) names.set(person, longest[0]);
    }
    return names;
  }

  private *during(start: number, end: number): Generator<SpeakerInterval> {
    let [low, high] = [0, this.intervals.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elementAt(this.intervals, middle).end <= start) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < this.intervals.length; at += 1) {
      const interval = elementAt(this.intervals, at);
      if (interval.start >= end) return;
      yield interval;
    }
  }
}

/** Returns intervals with the same people on screen, in order, without those that show nobody. */
function speakerIntervals(people: readonly PersonShown[]): SpeakerInterval[] {
  const changes: { time: number; person: number; by: number }[] = [];
  for (const [person, { shown }] of people.entries()) {
    for (const [at, time] of shown.entries()) changes.push({ time, person, by: at % 2 === 0 ? 1 : -1 });
  }
  changes.sort((a, b) => a.time - b.time);
  const on = new Map<number, number>();
  const intervals: SpeakerInterval[] = [];
  let since = 0;
  for (const { time, person, by } of changes) {
    if (time > since && on.size > 0) intervals.push({ start: since, end: time, people: [...on.keys()] });
    since = time;
    const count = (on.get(person) ?? 0) + by;
    if (count === 0) on.delete(person);
    else on.set(person, count);
  }
  return intervals;
}

function add(totals: Map<string, number>, key: string, value: number): void {
  totals.set(key, (totals.get(key) ?? 0) + value);
}
