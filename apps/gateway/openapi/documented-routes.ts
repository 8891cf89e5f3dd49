import { z } from 'zod';
import { allRoutes } from '../resources.js';
import type { RouteDefinition } from '../http/route.js';

export interface DocumentedRoute {
  route: RouteDefinition;
  /** Path in the document, with `{name}` for variables. */
  path: string;
  operationId: string;
}

/** Every operation of the document: each route, and beside it the one whose query asks for another shape of reply. */
export function documentedRoutes(): DocumentedRoute[] {
  return allRoutes().flatMap(({ route, prefix }) => {
    const path = `${prefix}${route.path}`.replace(/:([A-Za-z]+)/g, '{$1}');
    const operationId = operationIdOf(route);
    const { otherwise } = route;
    if (otherwise === undefined) return [{ route, path, operationId }];
    const { name, summary, description, query, reply } = otherwise;
    const { example: { body } = {}, ...rest } = route;
    const other = {
      ...rest,
      ...{ summary, description, query: query.extend(without(route.query, query).shape), reply },
      ...(body === undefined ? {} : { example: { body } }),
    };
    return [
      { route: { ...route, query: without(route.query, query) }, path, operationId },
      { route: other, path: path.replace(/\/$/, ''), operationId: `${operationId}${name}` },
    ];
  });
}

function without(query: z.ZodObject | undefined, other: z.ZodObject): z.ZodObject {
  const shape = query?.shape ?? {};
  return z.object(Object.fromEntries(Object.entries(shape).filter(([name]) => !(name in other.shape))));
}

/** `get /v1/jobs/:jobId/stop/` is getJobsByJobIdStop. */
function operationIdOf({ method, path }: RouteDefinition): string {
  const words = path
    .split('/')
    .filter((part) => part !== '' && part !== 'v1')
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part))
    .flatMap((part) => part.split('-'));
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
