import { elementAt, SAME_FACE_DISTANCE } from '@adit/contracts';
import { joinNear } from '@adit/module-kit';
import { atOnce } from '@adit/runtime';
import { normalised } from '../galleries/embedding.js';
import { decodeFace, encodeFace } from './face-code.js';
import { secondsSeen, timesShown, type Person } from './person.js';
import { addTraits } from '../face_recognition/traits.js';

/** Times are rounded to a hundredth of a second, so two consecutive ones may overlap by that much. */
const ROUNDING = 0.011;

/**
 * Returns the people of a finished film, with their seconds. Unknown people whose faces converged as more was seen are
 * joined, unless they were visible simultaneously. In the given order, that of first appearance.
 */
export function joinPeople(people: readonly Person[]): Person[] {
  const all = people.map((person): Person => ({
    ...person,
    seconds: secondsSeen(person),
    spans: [],
    shown: timesShown(person),
  }));
  const unknown = all.filter(({ known }) => known === null);
  const means = unknown.map(({ face, traits }) => ({ direction: decodeFace(face), weight: traits.weight }));
  const areApart = (a: number, b: number) => mayBeShownAtOnce(elementAt(unknown, a), elementAt(unknown, b));
  const groups = atOnce(joinNear(means, SAME_FACE_DISTANCE, areApart));
  const joined = groups.map((places) => places.map((at) => elementAt(unknown, at)).reduce(asOne));
  return [...all.filter(({ known }) => known !== null), ...joined].sort((a, b) => a.first - b.first);
}

/** Joins two people who were never visible simultaneously, at the end of a film. */
function asOne(a: Person, b: Person): Person {
  const [one, other] = [decodeFace(a.face), decodeFace(b.face)];
  const mean = normalised(
    Float64Array.from(one, (value, at) => value * a.traits.weight + elementAt(other, at) * b.traits.weight),
  );
  return {
    known: null,
    face: mean === null ? a.face : encodeFace(mean),
    traits: addTraits(a.traits, b.traits),
    first: Math.min(a.first, b.first),
    seconds: a.seconds + b.seconds,
    spans: [],
    shown: spansOf([a, b])
      .sort(([from], [later]) => from - later)
      .flat(),
  };
}

/** Also true where the times of one are incomplete. */
function mayBeShownAtOnce(a: Person, b: Person): boolean {
  if (!hasAllTimes(a) || !hasAllTimes(b)) return true;
  const spans = spansOf([a, b]).sort(([from], [later]) => from - later);
  return spans.some(([from], at) => at > 0 && from < elementAt(elementAt(spans, at - 1), 1) - ROUNDING);
}

function hasAllTimes(person: Person): boolean {
  const spans = spansOf([person]);
  const total = spans.reduce((sum, [from, to]) => sum + to - from, 0);
  return Math.abs(total - person.seconds) <= ROUNDING * (spans.length + 1);
}

function spansOf(people: readonly Person[]): [from: number, to: number][] {
  return people.flatMap(({ shown = [] }) =>
    shown.flatMap((from, at): [number, number][] => (at % 2 === 0 ? [[from, elementAt(shown, at + 1)]] : [])),
  );
}
