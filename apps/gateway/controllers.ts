import type { Type } from '@nestjs/common';
import { JobsController } from './jobs/jobs.controller.js';
import { ModulesController } from './jobs/modules.controller.js';
import { routesOf, type RouteDefinition } from './http/route.js';
import { HealthController } from './operations/health.controller.js';

export const API_PREFIX = '/api';
/** What orchestrators and collectors ask; outside the API's prefix. */
export const UNPREFIXED = ['healthz', 'readyz', 'metrics'];

export const CONTROLLERS: Type[] = [HealthController, JobsController, ModulesController];

/** Every route with the prefix it lies under. */
export function allRoutes(): { route: RouteDefinition; prefix: string }[] {
  return CONTROLLERS.flatMap((controller) => routesOf(controller)).map((route) => ({
    route,
    prefix: UNPREFIXED.includes(route.path.slice(1)) ? '' : API_PREFIX,
  }));
}
