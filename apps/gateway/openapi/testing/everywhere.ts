type Json = Record<string, unknown>;

/** Every object of the document that is no example, with the way to it. For the specs. */
export function* everywhere(value: unknown, way: string[] = []): Generator<[way: string[], found: Json]> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield [way, value as Json];
  for (const [key, member] of Object.entries(value)) {
    if (key !== 'example' && key !== 'default') yield* everywhere(member, [...way, key]);
  }
}
