import { elementAt, type PersonShown } from '@adit/contracts';

/** Seconds from the beginning of a source. */
export interface Span {
  start: number;
  end: number;
}

/** A name that was read, and when. */
export interface Caption extends Span {
  name: string;
}

/** Seconds of speech by gender, age and name of who is likely to speak. */
export interface SpeechTimes {
  gender: Record<string, number>;
  age: Record<string, number>;
  /** Whoever has no name is `Unknown`. */
  name: Record<string, number>;
}

interface Stretch extends Span {
  people: number[];
}

const NOBODYS = 'Unknown';

/**
 * An estimate of who speaks for how long: what is said belongs to whose face is on screen meanwhile, in equal parts where there
 * are several, and to nobody where there is none. Somebody unknown is called what a caption says while they are alone. So nobody
 * speaks for longer than they are shown, and all together not for longer than somebody speaks; a reporter off screen counts as
 * whom one sees.
 */
export class SpeechClock {
  private readonly stretches: Stretch[];
  private readonly seconds: number[];

  constructor(private readonly people: readonly PersonShown[]) {
    this.stretches = stretchesOf(people);
    this.seconds = people.map(() => 0);
  }

  /** Something was said; spans come one after the other, and none twice. */
  hear({ start, end }: Span): void {
    for (const stretch of this.during(start, end)) {
      const time = Math.min(end, stretch.end) - Math.max(start, stretch.start);
      for (const person of stretch.people) {
        this.seconds[person] = elementAt(this.seconds, person) + time / stretch.people.length;
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
      if (person.listed) add(name, person.label ?? names.get(at) ?? NOBODYS, seconds);
    }
    return { gender: Object.fromEntries(gender), age: Object.fromEntries(age), name: Object.fromEntries(name) };
  }

  /** What captions call those whom no gallery knows: the name that is longest with each of them, alone. */
  private names(captions: readonly Caption[]): Map<number, string> {
    const together = new Map<number, Map<string, number>>();
    for (const { start, end, name } of captions) {
      for (const stretch of this.during(start, end)) {
        const [person, another] = stretch.people;
        if (person === undefined || another !== undefined) continue;
        const own = together.get(person) ?? new Map<string, number>();
        add(own, name, Math.min(end, stretch.end) - Math.max(start, stretch.start));
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

  private *during(start: number, end: number): Generator<Stretch> {
    let [low, high] = [0, this.stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elementAt(this.stretches, middle).end <= start) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < this.stretches.length; at += 1) {
      const stretch = elementAt(this.stretches, at);
      if (stretch.start >= end) return;
      yield stretch;
    }
  }
}

/** Where the same people are on screen, in order, those without anybody left out. */
function stretchesOf(people: readonly PersonShown[]): Stretch[] {
  const changes: { time: number; person: number; by: number }[] = [];
  for (const [person, { shown }] of people.entries()) {
    for (const [at, time] of shown.entries()) changes.push({ time, person, by: at % 2 === 0 ? 1 : -1 });
  }
  changes.sort((a, b) => a.time - b.time);
  const on = new Map<number, number>();
  const stretches: Stretch[] = [];
  let since = 0;
  for (const { time, person, by } of changes) {
    if (time > since && on.size > 0) stretches.push({ start: since, end: time, people: [...on.keys()] });
    since = time;
    const count = (on.get(person) ?? 0) + by;
    if (count === 0) on.delete(person);
    else on.set(person, count);
  }
  return stretches;
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
