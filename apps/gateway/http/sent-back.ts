import { z } from 'zod';

type Clean = (body: unknown) => unknown;

/**
 * Makes what a reply carried fit to be sent: fields of the `resource` that the `body` does not take are read-only and left
 * out, and null is left out where it is no value of its field. What the resource does not have stays, to be refused.
 */
export function sentBack(body: z.ZodType | undefined, resource: z.ZodType | null): Clean {
  const object = body === undefined ? null : objectIn(body);
  if (object === null) return (value) => value;
  const shown = resource === null ? null : objectIn(resource);
  const readOnly = new Set(Object.keys(shown?.shape ?? {}).filter((key) => !(key in object.shape)));
  return (value) => cleaned(object, value, readOnly);
}

/** An object without the members that are nothing: those of `readOnly`, and null where the schema knows no null. */
export function cleaned(schema: z.ZodType, value: unknown, readOnly: ReadonlySet<string> = new Set()): unknown {
  const object = objectIn(schema);
  if (object === null || value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  // zod's type of a shape does not say what its members are.
  const shape = object.shape as Record<string, z.ZodType>;
  const members = Object.entries(value).flatMap(([key, member]: [string, unknown]): [string, unknown][] => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (field === undefined) return readOnly.has(key) ? [] : [[key, member]];
    if (member === null) return takesNull(field) ? [[key, member]] : [];
    return [[key, cleaned(field, member)]];
  });
  return Object.fromEntries(members);
}

function takesNull(field: z.ZodType): boolean {
  return field.safeParse(null).success;
}

/** The object under defaults, optionals and the like; of a union the members of all its objects. Null for anything else. */
function objectIn(schema: z.core.$ZodType): z.ZodObject | null {
  if (schema instanceof z.ZodObject) return schema;
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodReadonly
  ) {
    return objectIn(schema.def.innerType);
  }
  if (schema instanceof z.ZodPipe) return objectIn(schema.def.in);
  if (schema instanceof z.ZodUnion) {
    const objects = schema.def.options.flatMap((option) => objectIn(option) ?? []);
    return objects.length === 0
      ? null
      : // `Object.assign` of a list answers `any`.
        z.object(Object.assign({}, ...objects.map(({ shape }) => shape)) as z.ZodRawShape);
  }
  return null;
}
