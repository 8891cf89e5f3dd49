import { SAME_FACE_DISTANCE, type PersonShown } from '@adit/contracts';
import type { LabelDictionaries } from '@adit/dictionaries';
import type { ClosedSource, Segment, Summary } from '@adit/module-kit';
import type { Person as Known } from '../galleries/match.js';
import { decodeFace } from '../people/face-code.js';
import type { FilmOfPeople, PeopleReporter } from '../people/people-fold.js';
import { timesShown, type Person } from '../people/person.js';
import type { Tally } from '../people/tally.js';
import { ageRangeOf, genderOf } from '../face_recognition/traits.js';

/**
 * Summaries of a source: the number of people by gender and age, and the seconds that they are visible. A picture has
 * counts only.
 */
export class Diversity implements PeopleReporter {
  constructor(
    private readonly persons: readonly Known[],
    readonly dictionaries: LabelDictionaries,
  ) {}

  picture(): Segment[] {
    return [];
  }

  summaries(source: number, people: Tally): Summary[] {
    return counts(people).map((summary) => ({ ...summary, sourceIndex: source }));
  }

  film(film: FilmOfPeople): ClosedSource {
    const { count, shown } = film;
    return {
      segments: [],
      summaries: [
        ...counts(count),
        this.personScreenTime(film),
        { type: 'gender_screen_time', meta: rounded(shown.gender) },
        { type: 'age_screen_time', meta: rounded(shown.age) },
      ],
    };
  }

  /** Sums by name; the job names people unknown to the galleries, so that one name means one person in all sources. */
  private personScreenTime({ people, looked }: FilmOfPeople): Summary {
    const meta: Record<string, number> = {};
    const groups: NonNullable<Summary['groups']> = [];
    for (const { known, face, seconds } of people) {
      const value = milliseconds(seconds);
      const label = known === null ? null : this.dictionaries.apply(this.persons[known]?.label ?? 'unknown');
      // Two people of one name may be visible together.
      if (label !== null) meta[label] = Math.min(milliseconds(looked), milliseconds(value + (meta[label] ?? 0)));
      if (known === null && !this.dictionaries.selects()) {
        const embedding = Array.from(decodeFace(face), (one) => Math.round(one * 1e6) / 1e6);
        groups.push({ claim: { collection: 'unknowns', embedding, maxDistance: SAME_FACE_DISTANCE }, value });
      }
    }
    const named = { type: 'person_screen_time', meta, people: people.map((person) => this.shown(person)) };
    return { ...named, ...(groups.length > 0 && { groups, atMost: milliseconds(looked) }) };
  }

  private shown(person: Person): PersonShown {
    const { known, traits } = person;
    const label = known === null ? null : this.dictionaries.apply(this.persons[known]?.label ?? 'unknown');
    return {
      label,
      listed: label !== null || (known === null && !this.dictionaries.selects()),
      gender: genderOf(traits),
      age: ageRangeOf(traits),
      shown: timesShown(person),
    };
  }
}

function counts(people: Tally): Summary[] {
  return [
    { type: 'gender_count', meta: { ...people.gender } },
    { type: 'age_count', meta: { ...people.age } },
  ];
}

function rounded(seconds: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(seconds).map(([key, value]) => [key, milliseconds(value)]));
}

/** Rounds to milliseconds without exceeding the total, since sums of fractions end slightly below. */
function milliseconds(seconds: number): number {
  return Math.floor(seconds * 1000 + 1e-6) / 1000;
}
