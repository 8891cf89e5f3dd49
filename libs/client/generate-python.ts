/** Writes the types of the Python client from the OpenAPI document: classes of pydantic for what its methods answer. */

type Json = Record<string, unknown>;

/** Replies of the Python client's methods; the types that these contain come with them. */
const ANSWERS = [
  ...['Job', 'DetailedResult', 'SummarizedResult', 'Artifact', 'StorageEntry', 'StorageUse', 'Model', 'Prediction'],
  'Canary',
  ...['Dataset', 'DatasetImport', 'DatasetImportError', 'Training', 'ProblemError'],
];
const LINE = 120;

/** The text of types.py. Throws when the document lacks one of the answers. */
export function pythonTypes(document: unknown): string {
  // The document that the gateway writes of itself.
  const { schemas } = (document as { components: { schemas: Record<string, Json> } }).components;
  const definitions = inOrder(schemas).map((name) => definition(name, schemas[name] ?? {}));
  return `"""What the service answers. Written from docs/api/openapi.json by generate-python.ts; not to be edited."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """Answers may have more members one day: they are kept, and values of enumerations that are new are taken."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())

${definitions.map((text) => `\n${text}`).join('\n')}`;
}

/** Names of schemas, each behind those that it holds. */
function inOrder(schemas: Record<string, Json>): string[] {
  const order = new Set<string>();
  const visit = (name: string): void => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`The document has no schema ${name}.`);
    if (order.has(name)) return;
    for (const [, held = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (held !== name) visit(held);
    }
    order.add(name);
  };
  for (const name of ANSWERS) visit(name);
  return [...order];
}

function definition(name: string, schema: Json): string {
  const { type, properties, required, description } = schema;
  if (type !== 'object' || !isObject(properties)) return `${name} = ${typeOf(schema)}\n`;
  const needed = Array.isArray(required) ? required : [];
  const said = typeof description === 'string' ? [...comment(description), ''] : [];
  const members = Object.entries(properties).flatMap(([key, member]) => {
    const given = isObject(member) ? member : {};
    const about = given['description'];
    const text = typeOf(given);
    const isOptional = !needed.includes(key);
    const whole = isOptional && !text.startsWith('Optional[') ? `Optional[${text}]` : text;
    const line = `    ${key}: ${whole}${isOptional ? ' = None' : ''}`;
    return [...(typeof about === 'string' ? comment(about) : []), line];
  });
  return `class ${name}(Answer):\n${[...said, ...members].join('\n')}\n`;
}

function comment(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > LINE) lines.push(`    #: ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function typeOf(schema: Json): string {
  const { $ref, enum: options, anyOf, oneOf, type, format, items, additionalProperties: more } = schema;
  if (typeof $ref === 'string') return $ref.replace('#/components/schemas/', '');
  if (Array.isArray(options)) return `Union[Literal[${options.map((each) => JSON.stringify(each)).join(', ')}], str]`;
  const several =
    anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one: unknown) => ({ ...schema, type: one })) : null);
  if (Array.isArray(several)) {
    const texts = [...new Set(several.map((one: Json) => typeOf(one)))];
    const others = texts.filter((text) => text !== 'None');
    const whole = others.length === 1 ? (others[0] ?? 'Any') : `Union[${others.join(', ')}]`;
    return others.length < texts.length ? `Optional[${whole}]` : whole;
  }
  switch (type) {
    case 'string':
      return format === 'date-time' ? 'datetime' : 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `list[${typeOf(isObject(items) ? items : {})}]`;
    case 'object':
      return `dict[str, ${isObject(more) ? typeOf(more) : 'Any'}]`;
    default:
      return 'Any';
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
