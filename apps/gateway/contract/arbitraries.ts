import fc from 'fast-check';
import { schemaIn } from '../openapi/plain-schema.js';
import type { JsonSchema } from './operations.js';

/** Text that has gone wrong somewhere before. */
const HOSTILE = [
  '',
  ' ',
  '\0',
  '\ud800',
  '../../etc/passwd',
  "' OR 1=1 --",
  '%00',
  '${7*7}',
  '<script>',
  '__proto__',
  'ﷺ',
  'null',
  '1e400',
  '-0',
  '9'.repeat(40),
  'x'.repeat(5_000),
];
/** One of them for all: each works out anew what characters there are. */
const address = fc.webUrl();
const text = fc.oneof(fc.string({ maxLength: 30, unit: 'grapheme' }), fc.constantFrom(...HOSTILE));
/** Values that a body or parameter is not likely to have. */
export const garbage: fc.Arbitrary<unknown> = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }));

/**
 * Values that a JSON Schema (2020-12, as zod writes it) allows, and, one time in `spoilt`, values in which some place was
 * replaced by garbage or left out.
 */
export function arbitraryOf(
  schema: JsonSchema,
  components: Record<string, JsonSchema>,
  spoilt = 4,
): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: spoilt - 1, arbitrary: valid(schema, components, 0) },
    { weight: 1, arbitrary: broken(schema, components) },
  );
}

function broken(schema: JsonSchema, components: Record<string, JsonSchema>): fc.Arbitrary<unknown> {
  const place = fc.nat({ max: 20 });
  return fc.oneof(
    garbage,
    fc.tuple(valid(schema, components, 0), place, garbage).map(([value, at, other]) => spoil(value, at, other)),
  );
}

/** One member is replaced, or taken out when the garbage is null; another unknown one is put in for an empty object. */
function spoil(value: unknown, at: number, other: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [other] : value.with(at % value.length, other);
  if (value === null || typeof value !== 'object') return other;
  const entries = Object.entries(value);
  if (entries.length === 0) return { surplus: other };
  const index = at % entries.length;
  return Object.fromEntries(
    entries.flatMap(([name, member], place): [string, unknown][] =>
      place !== index ? [[name, member]] : other === null ? [] : [[name, at % 2 ? other : spoil(member, at, other)]],
    ),
  );
}

function valid(schema: JsonSchema, components: Record<string, JsonSchema>, depth: number): fc.Arbitrary<unknown> {
  const inner = (child: unknown): fc.Arbitrary<unknown> => valid(schemaIn(child), components, depth + 1);
  const { $ref, anyOf, oneOf, allOf, const: constant, enum: options, type } = schema;
  if (typeof $ref === 'string') return inner(components[$ref.replace('#/components/schemas/', '')] ?? {});
  if ('const' in schema) return fc.constant(constant);
  if (Array.isArray(options)) return fc.constantFrom<unknown[]>(...options);
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return fc.oneof(...union.map(inner));
  if (Array.isArray(allOf)) return inner(Object.assign({}, ...allOf));
  if (Array.isArray(type)) return fc.oneof(...type.map((one: unknown) => inner({ ...schema, type: one })));
  switch (type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema, type === 'integer');
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const least = Number(schema['minItems'] ?? 0);
      const most = Math.min(Number(schema['maxItems'] ?? 4), least + 4);
      return depth > 6
        ? fc.constant([])
        : fc.array(inner(schema['items'] ?? {}), { minLength: least, maxLength: most });
    }
    case 'object':
      return objectOf(schema, inner);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function stringOf({ format, pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return address;
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { size: 'small' });
  const least = Number(minLength);
  return fc.string({ minLength: least, maxLength: Math.min(Number(maxLength), least + 40), unit: 'grapheme' });
}

function numberOf(schema: JsonSchema, isWhole: boolean): fc.Arbitrary<number> {
  const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? -1e6);
  const most = Number(schema['maximum'] ?? schema['exclusiveMaximum'] ?? 1e6);
  const step = schema['multipleOf'];
  if (typeof step === 'number') {
    return fc.integer({ min: Math.ceil(least / step), max: Math.floor(most / step) }).map((steps) => steps * step);
  }
  if (!isWhole) return fc.double({ min: least, max: most, noNaN: true });
  return fc.integer({ min: Math.ceil(Math.max(least, -0x7fffffff)), max: Math.floor(Math.min(most, 0x7fffffff)) });
}

function objectOf(schema: JsonSchema, inner: (child: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = schemaIn(schema['properties']);
  const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, inner(member)]));
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const requiredKeys = required.filter((name) => name in members);
  const known = fc.record(members, { requiredKeys });
  const more = schema['additionalProperties'];
  if (typeof more !== 'object' || more === null) return known;
  const surplus = fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), inner(more), { maxKeys: 3 });
  return fc.tuple(known, surplus).map(([a, b]) => ({ ...b, ...a }));
}
