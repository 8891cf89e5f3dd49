import type { z } from 'zod';
import { scopeOf } from '../auth/access-scopes.js';
import type { RawReply, RouteDefinition } from '../http/route.js';
import { REVALIDATED } from '../http/etags.js';
import { cachingOf } from '../http/route.js';
import type { DocumentedRoute } from './documented-routes.js';
import type { Examples } from './examples.js';
import type { JsonSchemas } from './json-schemas.js';
import { refusals, takesIdempotencyKey } from './refusals.js';
import { headersOf, type ReplyHeader } from '../http/server/reply-headers.js';

type Json = Record<string, unknown>;

/** One operation of the document. */
export function operation({ route, operationId }: DocumentedRoute, schemas: JsonSchemas, examples: Examples): Json {
  const place = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  return {
    operationId,
    summary: route.summary,
    description: route.description,
    tags: [route.tag],
    ...security(route),
    parameters: [
      ...parameters(route.params, 'path', schemas, place),
      ...parameters(route.query, 'query', schemas, place),
      ...parameters(route.headers, 'header', schemas, place),
      ...(takesIdempotencyKey(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...requestBody(route, schemas, { place, examples }),
    responses: { ...successes(route, schemas, { place, examples }), ...refusals(route) },
  };
}

/** Headers that many operations take. Those of HTTP itself, such as Range, are said in words where they are honoured. */
export const PARAMETERS: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'The same key and body give the stored reply for 24 hours, and do nothing twice; another body is refused.',
    schema: { type: 'string', maxLength: 255 },
  },
};

/** Most routes take an API key, as the document says for all; some need nothing, some take the token of an access key too. */
function security(route: RouteDefinition): Json {
  if (route.access === 'public') return { security: [] };
  const scope = scopeOf(route);
  return scope === null
    ? {}
    : { security: [{ apiKey: [] }, { accessToken: [scope] }, { accessTokenInQuery: [scope] }] };
}

function parameters(
  schema: z.ZodType | undefined,
  where: 'path' | 'query' | 'header',
  schemas: JsonSchemas,
  place: string,
): Json[] {
  if (schema === undefined) return [];
  // The JSON Schema of an object, as zod writes it.
  const { properties = {}, required = [] } = schemas.members(schema, place) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

const BYTES = { type: 'string', format: 'binary' };

interface Surroundings {
  /** Begins the names of schemas that have none. */
  place: string;
  examples: Examples;
}

function requestBody(
  { body, form, rawBody, example }: RouteDefinition,
  schemas: JsonSchemas,
  { place, examples }: Surroundings,
): Json {
  if (rawBody !== undefined) return { requestBody: { content: { [rawBody]: { schema: BYTES } } } };
  if (body === undefined && form === undefined) return {};
  const media = (schema: z.ZodType, name: string): Json => ({
    schema: schemas.of(schema, 'input', name),
    ...shown(example?.body ?? examples.of(schema)),
  });
  const content = {
    // Operations that take a form as well document only the form: it can do more, and generators support one of the
    // two.
    ...(body === undefined || form !== undefined ? {} : { 'application/json': media(body, `${place}Request`) }),
    ...(form === undefined ? {} : { 'multipart/form-data': media(form, `${place}Form`) }),
  };
  return { requestBody: { required: true, content } };
}

function shown(example: unknown): Json {
  return example === undefined ? {} : { example };
}

function successes(
  route: RouteDefinition,
  schemas: JsonSchemas,
  { place, examples }: Surroundings,
): Record<string, Json> {
  const { reply, example, summary, status = 200, replyHeaders = [] } = route;
  const limited = route.access !== 'public';
  const own = takesIdempotencyKey(route) ? [...replyHeaders, 'Idempotency-Replayed' as const] : replyHeaders;
  if (reply === null) return { [status]: { description: summary, headers: headersOf(own, limited) } };
  if (isRaw(reply)) {
    const schema = isFile(route) ? BYTES : { type: 'string' };
    const headers = isFile(route) ? [...own, ...FILE_HEADERS] : own;
    return {
      [status]: {
        description: reply.description,
        headers: headersOf(headers, limited),
        content: { [reply.contentType]: { schema } },
      },
      ...(reply.pending === undefined
        ? {}
        : { 202: { description: reply.pending, headers: headersOf([...own, 'Retry-After'], limited) } }),
      ...(isFile(route)
        ? {
            206: {
              description: 'The bytes that Range asked for',
              headers: headersOf([...headers, 'Content-Range'], limited),
              content: { [reply.contentType]: { schema } },
            },
            304: { $ref: '#/components/responses/NotModified' },
          }
        : {}),
    };
  }
  const media = {
    schema: schemas.of(reply, 'output', `${place}Reply`),
    ...shown(example?.reply ?? examples.of(reply)),
  };
  const kept = cachingOf(route) === REVALIDATED;
  return {
    [status]: {
      description: summary,
      headers: headersOf(kept ? [...own, 'ETag'] : own, limited),
      content: { 'application/json': media },
    },
    ...(kept ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
  };
}

const FILE_HEADERS: ReplyHeader[] = ['ETag', 'Content-Disposition', 'Accept-Ranges'];

/** Reply to a client whose copy is still current. */
export const NOT_MODIFIED: Json = {
  description: 'The client has it already.',
  headers: headersOf(['ETag'], true),
};

function isRaw(reply: z.ZodType | RawReply): reply is RawReply {
  return 'contentType' in reply;
}

/** Files can be had in parts. */
function isFile({ reply }: RouteDefinition): boolean {
  return reply !== null && isRaw(reply) && reply.isFile === true;
}
