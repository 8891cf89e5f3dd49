import type { ModuleRegistry } from '@adit/module-kit';
import { buildVersion } from '@adit/runtime';
import { documentedRoutes } from './documented-routes.js';
import { Examples } from './examples.js';
import { DELIVERY_HEADERS, eventOperations } from './events.js';
import { JsonSchemas } from './json-schemas.js';
import { describeModules } from './module-arguments.js';
import { NOT_MODIFIED, operation, PARAMETERS } from './operation.js';
import { refusalComponents } from './refusals.js';
import { REPLY_HEADERS } from '../http/server/reply-headers.js';
import { TAGS } from '../http/tags.js';

type Json = Record<string, unknown>;

const SECURITY_SCHEMES = {
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
};

/** The OpenAPI 3.1 document of every route and module, from the same zod objects that check the requests. */
export function openApiDocument(modules: ModuleRegistry): Json {
  const schemas = new JsonSchemas();
  const paths: Record<string, Json> = {};
  const routes = documentedRoutes();
  const examples = new Examples(routes.map(({ route }) => route));
  for (const documented of routes) {
    const { path, route } = documented;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(documented, schemas, examples) };
  }
  const webhooks = eventOperations(schemas);
  describeModules(modules, schemas);
  const responses = { ...refusalComponents(schemas), NotModified: NOT_MODIFIED };
  // `finish` keeps the members that it was given.
  const finished = schemas.finish({ paths, webhooks, responses }) as {
    schemas: Json;
    document: { paths: Json; webhooks: Json; responses: Json };
  };
  return {
    openapi: '3.1.0',
    info: infoOf(buildVersion()),
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: finished.document.paths,
    webhooks: finished.document.webhooks,
    components: {
      schemas: finished.schemas,
      parameters: { ...PARAMETERS, ...DELIVERY_HEADERS },
      headers: REPLY_HEADERS,
      responses: finished.document.responses,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function infoOf(version: string): Json {
  return {
    title: 'Adit',
    version,
    summary: 'Visual mining of images and films',
    description:
      'Both slash forms of every path are accepted. Where an address answers another shape to another query, that is ' +
      'described under the path without its slash. Every reply carries X-Request-Id; errors are problem details ' +
      '(RFC 9457). POST requests take an Idempotency-Key, kept for 24 hours. Members may be added to replies; what a request has and this ' +
      'document has not is refused, query parameters too; `token` (below) is one of every path.',
    contact: { name: 'Whoever runs this installation' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  };
}
