/** Writes the types of the API from its OpenAPI document; `writeSchema` is called wherever that document is written. */
import { writeFile } from 'node:fs/promises';

type Json = Record<string, unknown>;

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

interface Operation {
  summary: string;
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema?: Json }> }>;
}

export const schemaPath = new URL('./schema.ts', import.meta.url);

/** Writes schema.ts beside this file. */
export async function writeSchema(document: unknown, to: URL = schemaPath): Promise<void> {
  await writeFile(to, schemaText(document));
}

/**
 * The text of schema.ts: an interface for every named schema, and `Operations`, which gives each `METHOD /path` below /api
 * what it takes and what it answers.
 */
export function schemaText(document: unknown): string {
  // The document that the gateway writes of itself.
  const { paths, components } = document as Document;
  const named = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema, '')};\n`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(() => path.startsWith('/api/'))
      .map(([method, operation]) => entry(`${method.toUpperCase()} ${path.slice('/api'.length)}`, operation)),
  );
  return [
    '/* Written from docs/api/openapi.json by generate-schema.ts; not to be edited. */\n',
    ...named,
    '/** What each operation takes and answers; `reply` is null where the answer is no JSON. */',
    `export interface Operations {\n${operations.join('')}}\n`,
  ].join('\n');
}

function entry(key: string, { summary, parameters = [], requestBody, responses }: Operation): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const json = requestBody?.content['application/json']?.schema;
  const form = requestBody?.content['multipart/form-data']?.schema;
  const placed = (place: string): string => {
    const members = parameters.filter((parameter) => parameter.in === place);
    return members.length === 0
      ? 'Nothing'
      : objectOf(
          Object.fromEntries(members.map((p) => [p.name, p.schema])),
          members.filter((p) => p.required).map((p) => p.name),
          '    ',
        );
  };
  const reply = success?.content?.['application/json']?.schema;
  return [
    `  /** ${summary.replaceAll('*/', '')} */`,
    `  '${key}': {`,
    `    params: ${placed('path')};`,
    `    query: ${placed('query')};`,
    `    body: ${json === undefined ? 'undefined' : typeOf(json, '    ')};`,
    `    form: ${form === undefined ? 'undefined' : typeOf(form, '    ')};`,
    `    reply: ${reply === undefined ? 'null' : typeOf(reply, '    ')};`,
    '  };',
    '',
  ]
    .join('\n')
    .replaceAll('Nothing', 'Record<never, never>');
}

function typeOf(schema: Json, indent: string): string {
  const { $ref, enum: options, anyOf, oneOf, allOf, type, format } = schema;
  if (typeof $ref === 'string') return $ref.replace('#/components/schemas/', '');
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(options)) return options.map(literal).join(' | ');
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return [...new Set(union.map((one: Json) => typeOf(one, indent)))].join(' | ');
  if (Array.isArray(allOf)) return allOf.map((one: Json) => `(${typeOf(one, indent)})`).join(' & ');
  if (Array.isArray(type)) return type.map((one: unknown) => typeOf({ ...schema, type: one }, indent)).join(' | ');
  switch (type) {
    case 'string':
      return format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return arrayOf(schema, indent);
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function arrayOf({ items, minItems, maxItems }: Json, indent: string): string {
  const item = typeOf(schemaIn(items), indent);
  if (typeof maxItems === 'number' && minItems === maxItems) {
    return `[${Array.from({ length: maxItems }, () => item).join(', ')}]`;
  }
  return /^[\w"]+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

/** A schema within another; none is one that takes anything. */
function schemaIn(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function objectType({ properties, required, additionalProperties: more }: Json, indent: string): string {
  const members = Object.entries(schemaIn(properties)).map(([name, schema]) => [name, schemaIn(schema)] as const);
  const names = Array.isArray(required) ? required.map(String) : [];
  const known = members.length > 0 ? objectOf(Object.fromEntries(members), names, indent) : null;
  const hasMore = more === true || (typeof more === 'object' && more !== null);
  if (!hasMore) return known ?? 'Record<string, never>';
  const rest = `Record<string, ${typeOf(schemaIn(more), indent)}>`;
  return known === null ? rest : `${known} & Record<string, unknown>`;
}

function objectOf(properties: Record<string, Json>, required: string[], indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const { description } = schema;
    const comment = typeof description === 'string' ? `${inner}/** ${description.replaceAll('*/', '')} */\n` : '';
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${comment}${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

function literal(value: unknown): string {
  return JSON.stringify(value);
}
