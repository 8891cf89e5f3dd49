import { isRecord } from '@adit/contracts';

/**
 * JSON Schema as zod writes it, in words that generators of clients know. Nothing is lost but patterns that a format says
 * already, and defaults that are no plain values, which become a sentence; sizes of numbers are said where languages have several.
 */
export type JsonSchema = Record<string, unknown>;

const MAX_INT32 = 2 ** 31 - 1;
const SAFE = Number.MAX_SAFE_INTEGER;

export function plainSchema(schema: unknown): JsonSchema {
  return schemaIn(plain(schema));
}

/** A schema within another; none is one that takes anything. */
export function schemaIn(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

/** The schemas of an object's members, or of definitions, by name. */
export function schemasIn(value: unknown): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemaIn(value)).map(([name, schema]) => [name, schemaIn(schema)]));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    // Names of properties are no keywords.
    key === 'properties' ? mapped(schemaIn(member)) : LITERAL.has(key) ? member : plain(member),
  ]);
  return REWRITES.reduce<JsonSchema>((schema, rewrite) => rewrite(schema), Object.fromEntries(entries));
}

const LITERAL = new Set(['enum', 'const', 'default', 'example', 'examples', 'required']);

function mapped(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plain(schema)]));
}

const REWRITES: ((schema: JsonSchema) => JsonSchema)[] = [
  // A literal is an enumeration of one, which every generator knows.
  ({ const: value, ...rest }) => (value === undefined ? rest : { ...rest, enum: [value] }),
  // An array of a fixed length whose items are alike; `items: false` is more than most can read.
  ({ prefixItems, ...rest }) => {
    if (!Array.isArray(prefixItems)) return rest;
    const [first, ...others] = prefixItems.map((item) => JSON.stringify(item));
    if (others.some((other) => other !== first)) throw new Error('A tuple of different types cannot be documented.');
    const length = prefixItems.length;
    return { ...rest, items: prefixItems[0], minItems: length, maxItems: length };
  },
  // `null` beside a plain type is one of its types.
  (schema) => {
    const { anyOf, ...rest } = schema;
    const [one, other, ...more] = Array.isArray(anyOf) ? anyOf.map(schemaIn) : [];
    if (one === undefined || other === undefined || more.length > 0) return schema;
    if (other['type'] !== 'null' || typeof one['type'] !== 'string') return schema;
    if ('enum' in one || 'properties' in one) return schema;
    return { ...one, ...rest, type: [one['type'], 'null'] };
  },
  // A choice among whole numbers is one of whole numbers.
  (schema) => {
    const { type, enum: options } = schema;
    return type === 'number' && Array.isArray(options) && options.every(Number.isInteger)
      ? { ...schema, type: 'integer' }
      : schema;
  },
  (schema) => (typesOf(schema).includes('integer') ? integer(schema) : schema),
  (schema) => (typesOf(schema).includes('number') ? { ...schema, format: 'double' } : schema),
  // Generators check formats by themselves, and some cannot apply a pattern to what they made of them.
  ({ pattern, ...rest }) =>
    pattern === undefined || FORMATS.has(String(rest['format'])) ? rest : { ...rest, pattern },
  ({ propertyNames: _, ...rest }) => rest,
  // Generators write a default into the code, where an object, a list of numbers, one of several types or of several numbers is a
  // literal of no language.
  (schema) => {
    const { default: given, ...rest } = schema;
    if (given === undefined || given === null) return schema;
    const isPlain = !Array.isArray(rest['anyOf']) && !(typeof given === 'number' && Array.isArray(rest['enum']));
    if (typeof given !== 'object' && isPlain) return schema;
    if (typeof given === 'object' && Object.keys(given).length === 0) return rest;
    const said = typeof rest['description'] === 'string' ? `${rest['description'].replace(/\.$/, '')}. ` : '';
    return { ...rest, description: `${said}Default: ${JSON.stringify(given)}` };
  },
  (schema) => (isEmpty(schema['additionalProperties']) ? { ...schema, additionalProperties: true } : schema),
];

const FORMATS = new Set(['uuid', 'date-time', 'uri', 'email']);

function integer({ minimum, maximum, exclusiveMinimum, ...rest }: JsonSchema): JsonSchema {
  const lowest = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum;
  const least = typeof lowest === 'number' && lowest > -SAFE ? { minimum: lowest } : {};
  const most = typeof maximum === 'number' && maximum < SAFE ? { maximum } : {};
  const isSmall = typeof maximum === 'number' && maximum <= MAX_INT32;
  return { format: isSmall ? 'int32' : 'int64', ...rest, ...least, ...most };
}

function typesOf({ type }: JsonSchema): unknown[] {
  return Array.isArray(type) ? type : [type];
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}
