import * as contracts from '@adit/contracts';
import { z } from 'zod';
import { plainSchema, schemaIn, schemasIn, type JsonSchema } from './plain-schema.js';

/** Tells whether a client sends it or gets it: defaults are optional in one and present in the other. */
type Direction = 'input' | 'output';

/** Objects, choices and unions of the contracts are called in the document what they are called in the code. */
const NAMES = new Map<unknown, string>(
  Object.entries(contracts).flatMap(([name, value]): [unknown, string][] =>
    value instanceof z.ZodObject || value instanceof z.ZodEnum || value instanceof z.ZodUnion ? [[value, name]] : [],
  ),
);

/** Keywords of describe() and meta(), and under `id` the schema's name in the document. */
const METADATA = {
  get: (schema: z.core.$ZodType) => {
    const meta = z.globalRegistry.get(schema);
    const id = meta?.id ?? NAMES.get(schema);
    return meta === undefined && id === undefined ? undefined : { ...meta, ...(id === undefined ? {} : { id }) };
  },
} as unknown as typeof z.globalRegistry;

const REFERENCE = '#/components/schemas/';

/**
 * JSON Schemas of the routes' zod objects (2020-12, which is OpenAPI 3.1's dialect). Every object and every choice of several
 * words is a component with a name: its `id`, its name in the contracts, or that of the place where it stands.
 */
export class JsonSchemas {
  /** By name, as it is sent and as it is got. */
  private readonly found = new Map<string, Partial<Record<Direction, JsonSchema>>>();

  /** `place` names what has no name of its own. */
  of(schema: z.ZodType, direction: Direction, place: string): JsonSchema {
    const { $schema: _, $defs = {}, ...own } = toJson(schema, direction);
    this.keepAll(schemasIn($defs), direction);
    const name = typeof own['id'] === 'string' ? own['id'] : place;
    return this.named(plainSchema(withoutId(own)), direction, name);
  }

  /** The members of an object that is taken apart, as the parameters of an operation are. */
  members(schema: z.ZodType, place: string): JsonSchema {
    const { $schema: _, $ref, $defs = {}, ...own } = toJson(schema, 'input');
    const { [String($ref).replace('#/$defs/', '')]: itself, ...others } = schemasIn($defs);
    this.keepAll(others, 'input');
    return this.parts(plainSchema(withoutId(itself ?? own)), 'input', place);
  }

  /** Says of a component what its zod object cannot; references in it are those that `of` gave. */
  replace(name: string, direction: Direction, schema: JsonSchema): void {
    if (this.found.get(name)?.[direction] === undefined) throw new Error(`Nothing in the document is called ${name}.`);
    this.found.set(name, { ...this.found.get(name), [direction]: schema });
  }

  /**
   * The components by name, and the document that refers to them. What differs between the directions is two components, the
   * one that is sent with `Input` behind its name.
   */
  finish(document: JsonSchema): { schemas: Record<string, JsonSchema>; document: JsonSchema } {
    const split = this.split();
    const resolve = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(resolve);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          key === '$ref' && typeof member === 'string' ? this.target(member, split) : resolve(member),
        ]),
      );
    };
    const schemas = [...this.found].flatMap(([name, { input, output }]): [string, unknown][] =>
      split.has(name)
        ? [
            [name, output],
            [`${name}Input`, input],
          ]
        : [[name, output ?? input]],
    );
    schemas.sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      schemas: schemasIn(resolve(Object.fromEntries(schemas))),
      document: schemaIn(resolve(document)),
    };
  }

  private target(reference: string, split: ReadonlySet<string>): string {
    if (!reference.startsWith(REFERENCE)) return reference;
    const [name = '', direction] = reference.replace(REFERENCE, '').split('@');
    return direction === 'input' && split.has(name) ? `${REFERENCE}${name}Input` : `${REFERENCE}${name}`;
  }

  /** Names whose two directions differ, in themselves or in what they refer to. */
  private split(): Set<string> {
    const both = [...this.found].flatMap(([name, { input, output }]) =>
      input === undefined || output === undefined ? [] : [{ name, input, output }],
    );
    const split = new Set<string>();
    for (let before = -1; before < split.size;) {
      before = split.size;
      for (const { name, input, output } of both) {
        const refers = [...split].some((other) => JSON.stringify(input).includes(`${REFERENCE}${other}@`));
        if (refers || comparable(input) !== comparable(output)) split.add(name);
      }
    }
    return split;
  }

  private keepAll(definitions: Record<string, JsonSchema>, direction: Direction): void {
    for (const [name, definition] of Object.entries(definitions)) {
      this.keep(name, direction, withConstants(this.parts(plainSchema(withoutId(definition)), direction, name), name));
    }
  }

  private keep(name: string, direction: Direction, schema: JsonSchema): void {
    const known = this.found.get(name) ?? {};
    const before = known[direction];
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas would be called ${name}; give one of them an id of its own.`);
    }
    this.found.set(name, { ...known, [direction]: schema });
  }

  /** A reference to the schema under this name when it is one that has to have one; else the schema with its parts named. */
  private named(schema: JsonSchema, direction: Direction, name: string): JsonSchema {
    const parts = this.parts(schema, direction, name);
    if (!isNameable(parts)) return parts;
    const { description, default: given, ...rest } = parts;
    this.keep(name, direction, withConstants(rest, name));
    return {
      $ref: `${REFERENCE}${name}@${direction}`,
      ...(description === undefined ? {} : { description }),
      ...(given === undefined ? {} : { default: given }),
    };
  }

  private parts(schema: JsonSchema, direction: Direction, name: string): JsonSchema {
    const { additionalProperties, properties, ...rest } = schema;
    const entries = Object.entries(rest).map(([key, member]): [string, unknown] => {
      if (key === '$ref') return [key, String(member).replace(/^#\/\$defs\/(.*)$/, `${REFERENCE}$1@${direction}`)];
      if (key === 'items') return [key, this.named(schemaIn(member), direction, `${name}Item`)];
      if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(member)) {
        const choices = member.map((one: JsonSchema, at) =>
          this.named(one, direction, `${name}${one['type'] === 'null' ? '' : at || ''}`),
        );
        return [key, choices];
      }
      return [key, member];
    });
    const known = Object.entries(schemasIn(properties))
      // Taken and ignored, since clients send back what they read; nothing that a client should know.
      .filter(([, member]) => direction === 'output' || Object.keys(member).length > 0)
      .map(([key, member]): [string, JsonSchema] => [key, this.named(member, direction, `${name}${pascal(key)}`)]);
    const isOpen = typeof additionalProperties === 'object' && additionalProperties !== null;
    return {
      ...Object.fromEntries(entries),
      ...(properties === undefined ? {} : { properties: Object.fromEntries(known) }),
      // Replies may have more members one day; and that a request may not is a sentence, which all generators can read.
      ...(additionalProperties === true ? { additionalProperties } : {}),
      ...(isOpen
        ? { additionalProperties: this.named(schemaIn(additionalProperties), direction, `${name}Value`) }
        : {}),
    };
  }
}

function toJson(schema: z.ZodType, io: Direction): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    metadata: METADATA,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A declared boolean or number is one on the wire, whatever text the check takes for it.
      if (z.globalRegistry.get(zodSchema)?.['type'] === undefined) return;
      for (const keyword of ['enum', 'anyOf', 'minLength', 'maxLength'] as const) delete jsonSchema[keyword];
    },
  });
}

function isNameable(schema: JsonSchema): boolean {
  if (Object.keys(schema['properties'] ?? {}).length > 0) return true;
  return Array.isArray(schema['enum']) && schema['enum'].length > 1;
}

/** In Go the words of all choices are constants of one package: each says of what it is one. */
function withConstants(schema: JsonSchema, name: string): JsonSchema {
  if (!Array.isArray(schema['enum'])) return schema;
  const constants = schema['enum'].map((word: unknown) =>
    `${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')}_${String(word).replace(/[^A-Za-z0-9]+/g, '_')}`.toUpperCase(),
  );
  return { ...schema, 'x-enum-varnames': constants };
}

function withoutId({ id: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Apart from which direction it refers on in. */
function comparable(schema: JsonSchema): string {
  return JSON.stringify(schema).replaceAll(/@(in|out)put"/g, '"');
}

export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
