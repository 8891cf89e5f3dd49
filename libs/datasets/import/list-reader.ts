import { AditError, storable } from '@adit/contracts';
import type { z } from 'zod';
import { JsonReader } from './json-reader.js';

/** Reads the entries of an archive's list, each by its schema. `name` is used in messages. */
export class ListReader {
  readonly json: JsonReader;

  constructor(
    private readonly name: string,
    bytes: Buffer,
  ) {
    this.json = new JsonReader(name, bytes);
  }

  /** Returns the next value. Throws MEDIA_INVALID, naming its place below `at`. */
  read<T extends z.ZodType>(schema: T, ...at: PropertyKey[]): z.output<T> {
    return this.check(schema, this.json.value(), ...at);
  }

  /** Validates a value that was already read. */
  check<T extends z.ZodType>(schema: T, value: unknown, ...at: PropertyKey[]): z.output<T> {
    return this.parsed(schema.check(storable), value, at);
  }

  /** Reads every element of the next list by its schema; calls `done` with each. */
  *all<T extends z.ZodType>(schema: T, at: PropertyKey[], done: (element: z.output<T>) => void): Generator<void> {
    const storables = schema.check(storable);
    for (const place of this.json.elements()) {
      done(this.parsed(storables, this.json.value(), [...at, place]));
      yield;
    }
  }

  /** Throws MEDIA_INVALID unless all these members were present. */
  refuseMissing(names: readonly string[], there: ReadonlySet<string>): void {
    const missing = names.find((name) => !there.has(name));
    if (missing !== undefined) throw new AditError('MEDIA_INVALID', `${this.name}: ${missing}: it is missing.`);
  }

  private parsed<T extends z.ZodType>(schema: T, value: unknown, at: PropertyKey[]): z.output<T> {
    const { success, data, error } = schema.safeParse(value);
    if (success) return data;
    const [issue] = error.issues;
    const path = [...at, ...(issue?.path ?? [])].join('.');
    throw new AditError('MEDIA_INVALID', `${this.name}: ${path}: ${issue?.message ?? 'not as expected'}.`);
  }
}
