import type { Type } from '@nestjs/common';
import { AccessKeysApiModule } from './access-keys/access-keys.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BatchesApiModule } from './batches/batches.module.js';
import { DatasetsApiModule } from './datasets/datasets.module.js';
import { DictionariesApiModule } from './dictionaries/dictionaries.module.js';
import { DiskUseApiModule } from './disk-use/disk-use.module.js';
import { ErasuresApiModule } from './erasures/erasures.module.js';
import { EventsApiModule } from './events/events.module.js';
import { ExportsApiModule } from './exports/exports.module.js';
import { FacesApiModule } from './faces/faces.module.js';
import { API_PREFIX } from './http/api-prefix.js';
import { routesOf, type RouteDefinition } from './http/route.js';
import { HealthApiModule } from './health/health.module.js';
import { IndexesApiModule } from './indexes/indexes.module.js';
import { JobsApiModule } from './jobs/jobs.module.js';
import { KeysApiModule } from './keys/keys.module.js';
import { MediaLinksApiModule } from './media-links/media-links.module.js';
import { MembersApiModule } from './members/members.module.js';
import { ModelsApiModule } from './models/models.module.js';
import { ModulesApiModule } from './modules/modules.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { PredictionsApiModule } from './predictions/predictions.module.js';
import { ReportsApiModule } from './reports/reports.module.js';
import { ResultsApiModule } from './results/results.module.js';
import { RetentionApiModule } from './retention/retention.module.js';
import { SearchApiModule } from './search/search.module.js';
import { StorageApiModule } from './storage/storage.module.js';
import { StorageCredentialsApiModule } from './storage-credentials/storage-credentials.module.js';
import { StreamsApiModule } from './streams/streams.module.js';
import { TrainingsApiModule } from './trainings/trainings.module.js';
import { TranscriptsApiModule } from './transcripts/transcripts.module.js';
import { UsageApiModule } from './usage/usage.module.js';
import { WebhooksApiModule } from './webhooks/webhooks.module.js';
import { WorkspacesApiModule } from './workspaces/workspaces.module.js';

/** Every resource of the API, a folder each, in the order of the documentation. A new one is its folder and a line here. */
export const RESOURCES: Type[] = [
  OperationsModule,
  JobsApiModule,
  ResultsApiModule,
  MediaLinksApiModule,
  StreamsApiModule,
  SearchApiModule,
  EventsApiModule,
  StorageApiModule,
  StorageCredentialsApiModule,
  DictionariesApiModule,
  ModulesApiModule,
  ModelsApiModule,
  PredictionsApiModule,
  DatasetsApiModule,
  TrainingsApiModule,
  FacesApiModule,
  IndexesApiModule,
  ErasuresApiModule,
  RetentionApiModule,
  KeysApiModule,
  AccessKeysApiModule,
  MembersApiModule,
  AuditModule,
  WebhooksApiModule,
  BatchesApiModule,
  ReportsApiModule,
  ExportsApiModule,
  TranscriptsApiModule,
  WorkspacesApiModule,
  DiskUseApiModule,
  HealthApiModule,
  UsageApiModule,
];

/** Paths for orchestrators and collectors, outside the API's prefix. */
export const UNPREFIXED = ['healthz', 'startupz', 'readyz', 'metrics'];

/**
 * Paths that ingresses let in, in the words of Kubernetes. A served path that is in neither list is a fault
 * (resources.spec.ts).
 */
export const PUBLIC_PATHS: Readonly<Record<string, 'Exact' | 'Prefix'>> = {
  '/': 'Exact',
  [API_PREFIX]: 'Prefix',
  '/editor': 'Prefix',
  '/console': 'Prefix',
};

/** Every route with the prefix it lies under. */
export function allRoutes(): { route: RouteDefinition; prefix: string }[] {
  return RESOURCES.flatMap(controllersOf)
    .flatMap((controller) => routesOf(controller))
    .map((route) => ({ route, prefix: UNPREFIXED.includes(route.path.slice(1)) ? '' : API_PREFIX }));
}

/** Controllers, as `@Module` keeps them. */
function controllersOf(resource: Type): Type[] {
  const controllers: Type[] | undefined = Reflect.getMetadata('controllers', resource);
  return controllers ?? [];
}
