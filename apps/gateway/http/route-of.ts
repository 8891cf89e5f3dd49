import type { ExecutionContext } from '@nestjs/common';
import type { RouteDefinition } from './route.js';

/** Under which a handler keeps its route. */
export const ROUTE = Symbol('adit:route');

/** The route of a method that `@Route` made a handler. */
export function routeOf(handler: object): RouteDefinition | undefined {
  return Reflect.getMetadata(ROUTE, handler) as RouteDefinition | undefined;
}

/** The route that a request takes; undefined for what is no route of ours. */
export function routeIn(context: ExecutionContext): RouteDefinition | undefined {
  return routeOf(context.getHandler());
}
