/**
 * The element at a place that must be taken; a negative one counts from the end, −1 is the last. Throws a RangeError for a
 * place outside the list, where an index alone gives undefined. Not for loops over numbers: it is called with every kind of list,
 * and `float32At` with one.
 */
export function elementAt<T>(list: ArrayLike<T>, place: number): T {
  const element = list[place < 0 ? list.length + place : place];
  if (element === undefined) throw outside(place, list);
  return element;
}

/**
 * The number at a place of a Float32Array. Throws a RangeError for a place outside. As fast as an index in the tightest loop,
 * for V8 compiles it for the one kind of array that it sees; `elementAt` and `for … of` take ten times as long there.
 */
export function float32At(numbers: Float32Array, place: number): number {
  const number = numbers[place];
  if (number === undefined) throw outside(place, numbers);
  return number;
}

/** The same of a Float64Array. */
export function float64At(numbers: Float64Array, place: number): number {
  const number = numbers[place];
  if (number === undefined) throw outside(place, numbers);
  return number;
}

function outside(place: number, { length }: ArrayLike<unknown>): RangeError {
  return new RangeError(`Place ${place} of a list of ${length}.`);
}

/** The elements at equal places of two lists. Throws a RangeError when one is longer than the other. */
export function* zip<A, B>(left: Iterable<A>, right: Iterable<B>): Generator<[A, B], void> {
  const others = right[Symbol.iterator]();
  for (const element of left) {
    const other = others.next();
    if (other.done === true) throw new RangeError('The second list is shorter than the first.');
    yield [element, other.value];
  }
  if (others.next().done !== true) throw new RangeError('The second list is longer than the first.');
}

/** The names of an object's members, typed: for an object that a literal made, so that it has no others. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[];
}

/** Tells whether an object has a member of that name of its own. */
export function isKeyOf<T extends object>(object: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(object, name);
}

/** Tells whether a value is one of a closed list. */
export function isOneOf<T>(list: readonly T[], value: unknown): value is T {
  return list.some((known) => known === value);
}

/** Takes those that were put in first out of a map or a set, until no more than `most` are left. */
export function dropOldest(kept: Map<unknown, unknown> | Set<unknown>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}
