import { ERROR_CODES, Problem } from '@adit/contracts';
import type { ErrorCode } from '@adit/contracts';
import type { z } from 'zod';
import { scopeOf } from '../auth/access-scopes.js';
import { allRoutes } from '../controllers.js';
import type { RawReply, RouteDefinition } from '../http/route.js';
import { JsonSchemas } from './json-schemas.js';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of every route, from the same zod objects that check the requests. */
export function openApiDocument(): Json {
  const schemas = new JsonSchemas();
  const paths: Record<string, Json> = {};
  for (const { route, prefix } of allRoutes()) {
    const path = `${prefix}${route.path}`.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Adit',
      version: '1',
      summary: 'Visual mining of images and films',
      description:
        'Both slash forms of every path are accepted. Every reply carries X-Request-Id; errors are problem details ' +
        '(RFC 9457). POST requests take an Idempotency-Key, kept for 24 hours.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(allRoutes().map(({ route }) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: sorted(schemas.components),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Written `Key <API_KEY>`.',
        },
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description: '`<key>.<jwt>`: a JSON Web Token signed with the secret of an access key.',
        },
        accessTokenInQuery: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
          description: 'The same token, where a header cannot be set.',
        },
      },
    },
  };
}

function operation(route: RouteDefinition, schemas: JsonSchemas): Json {
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    ...security(route),
    parameters: [
      ...parameters(route.params, 'path', schemas),
      ...parameters(route.query, 'query', schemas),
      ...parameters(route.headers, 'header', schemas),
      ...(route.method === 'POST' && route.form === undefined ? [IDEMPOTENCY_KEY] : []),
    ],
    ...requestBody(route, schemas),
    responses: { [String(route.status ?? 200)]: success(route, schemas), ...refusals(route, schemas) },
  };
}

/** Most routes take an API key, as the document says for all; some need nothing, some take the token of an access key too. */
function security(route: RouteDefinition): Json {
  if (route.access === 'public') return { security: [] };
  const scope = scopeOf(route);
  return scope === null
    ? {}
    : { security: [{ apiKey: [] }, { accessToken: [scope] }, { accessTokenInQuery: [scope] }] };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and body give the stored reply; another body is refused.',
  schema: { type: 'string', maxLength: 255 },
};

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query' | 'header', schemas: JsonSchemas): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

const BYTES = { type: 'string', format: 'binary' };

function requestBody({ body, form, rawBody, example }: RouteDefinition, schemas: JsonSchemas): Json {
  if (rawBody !== undefined) return { requestBody: { content: { [rawBody]: { schema: BYTES } } } };
  if (body === undefined && form === undefined) return {};
  const media = (schema: z.ZodType): Json => ({
    schema: schemas.of(schema, 'input'),
    ...(example?.body === undefined ? {} : { example: example.body }),
  });
  const content = {
    ...(body === undefined ? {} : { 'application/json': media(body) }),
    ...(form === undefined ? {} : { 'multipart/form-data': media(form) }),
  };
  return { requestBody: { required: true, content } };
}

function success({ reply, example, summary }: RouteDefinition, schemas: JsonSchemas): Json {
  if (reply === null) return { description: summary };
  if (isRaw(reply)) {
    return {
      description: reply.description,
      content: { [reply.contentType]: { schema: { type: 'string' } } },
    };
  }
  const media = {
    schema: schemas.of(reply, 'output'),
    ...(example?.reply === undefined ? {} : { example: example.reply }),
  };
  return { description: summary, content: { 'application/json': media } };
}

/** Every route's own refusals and those that all share, one entry for each status. */
function refusals(route: RouteDefinition, schemas: JsonSchemas): Record<string, Json> {
  const codes = new Set<ErrorCode>(route.errors ?? []);
  if (route.access !== 'public') {
    for (const code of ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'] as const) codes.add(code);
  }
  if (route.params !== undefined || route.query !== undefined || route.body !== undefined || route.form !== undefined)
    codes.add('VALIDATION');
  if (route.body !== undefined) for (const code of ['TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code);
  if (route.form !== undefined) codes.add('UNSUPPORTED_MEDIA_TYPE');
  // What an Idempotency-Key can lead to.
  if (route.method === 'POST' && route.form === undefined) {
    for (const code of ['VALIDATION', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'] as const) codes.add(code);
  }
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of codes) (byStatus[ERROR_CODES[code].status] ??= []).push(code);
  const schema = schemas.of(Problem, 'output');
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, all]) => [
      status,
      { description: all.join(', '), content: { 'application/problem+json': { schema } } },
    ]),
  );
}

function isRaw(reply: z.ZodType | RawReply): reply is RawReply {
  return 'contentType' in reply;
}

/** `get /v1/jobs/:jobId/stop/` is getJobsStop with the variables left out; ids tell one from list. */
function operationId({ method, path }: RouteDefinition): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1');
  const words = parts
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part))
    .flatMap((part) => part.split('-'));
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function sorted(record: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
