import { loadModules } from '@adit/modules';
import type { RouteDefinition } from '../http/route.js';
import { openApiDocument } from '../openapi/document.js';
import { documentedRoutes } from '../openapi/documented-routes.js';

export interface Operation {
  method: string;
  /** Path in the OpenAPI document, `/api` included. */
  path: string;
  route: RouteDefinition;
  documented: DocumentedOperation;
}

interface DocumentedOperation {
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, Response>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
}

interface Response {
  headers: Record<string, unknown>;
  content?: Record<string, unknown>;
}

export type JsonSchema = Record<string, unknown>;

export const apiDocument = openApiDocument(await loadModules()) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
  };
};

/** Every operation the gateway documents, with what it refers to in its place. */
export const OPERATIONS: readonly Operation[] = documentedRoutes().map(({ route, path }) => {
  const documented = apiDocument.paths[path]?.[route.method.toLowerCase()];
  if (documented === undefined) throw new Error(`${route.method} ${path} is not documented.`);
  const responses = Object.entries(documented.responses).map(([status, response]): [string, Response] => [
    status,
    referred(response),
  ]);
  return {
    ...{ method: route.method, path, route },
    documented: {
      ...documented,
      parameters: documented.parameters.map(referred),
      responses: Object.fromEntries(responses),
    },
  };
});

function referred<T extends object>(value: T): T {
  if (!('$ref' in value)) return value;
  const [, , kind = '', name = ''] = String(value.$ref).split('/');
  return (apiDocument.components as Record<string, Record<string, unknown>>)[kind]?.[name] as T;
}

/** The names of variables left out, and the slash at the end. */
function shapeOf(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');
}

/** The operation behind a path of the interface, whatever it calls its variables; null when there is none. */
export function operationOf(method: string, interfacePath: string): Operation | null {
  const shape = shapeOf(`/api${interfacePath}`);
  return OPERATIONS.find((operation) => operation.method === method && shapeOf(operation.path) === shape) ?? null;
}

/** Methods that the document has for paths of this shape. */
export function methodsAt(path: string): string[] {
  return [...new Set(OPERATIONS.filter((other) => shapeOf(other.path) === shapeOf(path)).map(({ method }) => method))];
}

/** The path with its variables filled in, each escaped. */
export function filled(path: string, values: readonly string[]): string {
  let next = 0;
  return path.replace(/\{[^}]*\}/g, () => encodeURIComponent(values[next++] ?? ''));
}

export function variablesOf(path: string): string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
}
