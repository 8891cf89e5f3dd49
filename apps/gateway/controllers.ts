import type { Type } from '@nestjs/common';
import { AuditController } from './audit/audit.controller.js';
import { AccessKeysController } from './auth/access-keys.controller.js';
import { KeysController } from './auth/keys.controller.js';
import { BatchesController } from './batches/batches.controller.js';
import { ExportsController } from './exports/exports.controller.js';
import { ReportsController } from './reports/reports.controller.js';
import { DictionariesController } from './dictionaries/dictionaries.controller.js';
import { EventStreamController } from './jobs/event-stream.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { ModulesController } from './jobs/modules.controller.js';
import { ResultsController } from './jobs/results.controller.js';
import { ModelsController } from './models/models.controller.js';
import { API_PREFIX } from './http/api-prefix.js';
import { routesOf, type RouteDefinition } from './http/route.js';
import { HealthController } from './operations/health.controller.js';
import { StorageV2Controller } from './storage/storage-v2.controller.js';
import { StorageController } from './storage/storage.controller.js';
import { TusController } from './storage/tus.controller.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** What orchestrators and collectors ask; outside the API's prefix. */
export const UNPREFIXED = ['healthz', 'startupz', 'readyz', 'metrics'];

/** Every controller whose routes are documented; the documentation's own pages are not. */
export const CONTROLLERS: Type[] = [
  HealthController,
  JobsController,
  ResultsController,
  EventStreamController,
  StorageController,
  StorageV2Controller,
  TusController,
  DictionariesController,
  ModulesController,
  ModelsController,
  KeysController,
  AccessKeysController,
  AuditController,
  WebhooksController,
  BatchesController,
  ReportsController,
  ExportsController,
  WorkspacesController,
];

/** Every route with the prefix it lies under. */
export function allRoutes(): { route: RouteDefinition; prefix: string }[] {
  return CONTROLLERS.flatMap((controller) => routesOf(controller)).map((route) => ({
    route,
    prefix: UNPREFIXED.includes(route.path.slice(1)) ? '' : API_PREFIX,
  }));
}
