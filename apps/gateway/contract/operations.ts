import { allRoutes } from '../controllers.js';
import type { RouteDefinition } from '../http/route.js';
import { openApiDocument } from '../openapi/document.js';

export interface Operation {
  method: string;
  /** As the OpenAPI document has it, `/api` included. */
  path: string;
  route: RouteDefinition;
  documented: DocumentedOperation;
}

export interface DocumentedOperation {
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

export type JsonSchema = Record<string, unknown>;

export const apiDocument = openApiDocument() as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
};

/** Every operation the gateway documents. */
export const OPERATIONS: readonly Operation[] = allRoutes().map(({ route, prefix }) => {
  const path = `${prefix}${route.path}`.replace(/:([A-Za-z]+)/g, '{$1}');
  const documented = apiDocument.paths[path]?.[route.method.toLowerCase()];
  if (documented === undefined) throw new Error(`${route.method} ${path} is not documented.`);
  return { method: route.method, path, route, documented };
});

/** The names of variables left out, and the slash at the end. */
export function shapeOf(path: string): string {
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
