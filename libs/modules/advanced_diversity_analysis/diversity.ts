import type { ClosedSource, LabelDictionaries, Segment, Summary } from '@adit/mining';
import { SAME_FACE_DISTANCE } from '../face_recognition/linking.js';
import type { Person as Known } from '../galleries/match.js';
import { decodeFace } from '../people/face-code.js';
import type { FilmOfPeople, PeopleState, PeopleTeller } from '../people/people-fold.js';
import type { Tally } from '../people/tally.js';

/**
 * The sums of a source, as the interface names them: how many people by gender and age, and for how many seconds they are
 * to be seen. A picture has counts alone.
 */
export class Diversity implements PeopleTeller {
  constructor(
    private readonly persons: readonly Known[],
    private readonly dictionaries: LabelDictionaries,
  ) {}

  picture(): Segment[] {
    return [];
  }

  pictures(pictures: PeopleState['pictures']): ClosedSource {
    const summaries = pictures.flatMap(({ source, people }) =>
      counts(people).map((summary) => ({ ...summary, sourceIndex: source })),
    );
    return { segments: [], summaries };
  }

  film(film: FilmOfPeople): ClosedSource {
    const { count, shown, pace } = film;
    return {
      segments: [],
      summaries: [
        ...counts(count),
        this.personScreenTime(film),
        { type: 'gender_screen_time', meta: inSeconds(shown.gender, pace) },
        { type: 'age_screen_time', meta: inSeconds(shown.age, pace) },
      ],
    };
  }

  /** By name; people the galleries do not know are named by the job, so that one name means one person in all sources. */
  private personScreenTime({ people, pace }: FilmOfPeople): Summary {
    const meta: Record<string, number> = {};
    const groups: NonNullable<Summary['groups']> = [];
    for (const { known, face, samples } of people) {
      const value = seconds(samples, pace);
      const label = known === null ? null : this.dictionaries.apply(this.persons[known]?.label ?? 'unknown');
      if (label !== null) meta[label] = seconds(samples, pace) + (meta[label] ?? 0);
      if (known === null && !this.dictionaries.selects()) {
        const embedding = Array.from(decodeFace(face), (one) => Math.round(one * 1e6) / 1e6);
        groups.push({ claim: { collection: 'unknowns', embedding, maxDistance: SAME_FACE_DISTANCE }, value });
      }
    }
    return { type: 'person_screen_time', meta, ...(groups.length > 0 && { groups }) };
  }
}

function counts(people: Tally): Summary[] {
  return [
    { type: 'gender_count', meta: { ...people.gender } },
    { type: 'age_count', meta: { ...people.age } },
  ];
}

function inSeconds(samples: Record<string, number>, pace: number): Record<string, number> {
  return Object.fromEntries(Object.entries(samples).map(([key, value]) => [key, seconds(value, pace)]));
}

/** To the millisecond. */
function seconds(samples: number, pace: number): number {
  return Math.round(samples * pace * 1000) / 1000;
}
