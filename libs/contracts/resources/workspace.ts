import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';
import { Quotas, QuotasChange } from './quota.js';

/** Tenant that owns jobs, files, keys and everything beside them. */
export const Workspace = z.strictObject({
  id: z.uuid().describe('Id of the workspace'),
  name: z.string().describe('Name of the workspace'),
  storage_bytes: z
    .int()
    .nullable()
    .describe('Bytes its files, transcripts and recordings may have; null: as the gateway is configured, 0: no limit'),
  quotas: Quotas.describe('Its quotas beside `storage_bytes`; one that is left out is not set'),
  storage_used: z.int().describe('Bytes its files, transcripts and recordings have, uploads under way included'),
  weight: z.int().describe('Its share of the machines against other workspaces'),
  observation_cache: z.boolean().describe('Whether observations of media are cached for later jobs'),
  time_created: IsoTime.describe('When it was created'),
});
export type Workspace = z.infer<typeof Workspace>;
export const WorkspacePage = pageOf(Workspace);

/** `key` is shown this once. */
export const CreatedWorkspace = Workspace.extend({ key: z.string().describe('Its first API key, of the role admin') });

const fields = {
  name: z.string().trim().min(1).max(100).describe('Name of the workspace, 1 to 100 characters'),
  storage_bytes: z
    .int()
    .min(0)
    .nullable()
    .describe('Bytes its files, transcripts and recordings may have; null: as the gateway is configured, 0: no limit'),
  quotas: QuotasChange.describe('Its quotas beside `storage_bytes`; one that is left out stays as it is, null ends it'),
  weight: z.int().min(1).max(1000).describe('Its share of the machines against other workspaces, 1 to 1000'),
  observation_cache: z.boolean().describe('Whether observations of media are cached for later jobs'),
};

/** POST /v1/workspaces/. */
export const WorkspaceRequest = z.strictObject({
  name: fields.name,
  storage_bytes: fields.storage_bytes
    .default(null)
    .describe(
      'Bytes its files, transcripts and recordings may have; null, the default: as the gateway is configured, 0: no limit',
    ),
  quotas: QuotasChange.default({}).describe('Its quotas beside `storage_bytes`; default: none'),
  weight: fields.weight.default(1).describe('Its share of the machines against other workspaces, 1 to 1000; default 1'),
  observation_cache: fields.observation_cache
    .default(true)
    .describe('Whether observations of media are cached for later jobs; default true'),
});
export type WorkspaceRequest = z.infer<typeof WorkspaceRequest>;

/** PATCH /v1/workspaces/{id}/. */
export const WorkspaceChange = z.strictObject(fields).partial();
export type WorkspaceChange = z.infer<typeof WorkspaceChange>;

/** Counts of an erasure. */
export const WorkspaceReceipt = z.strictObject({
  id: z.uuid().describe('Id of the workspace that was erased'),
  name: z.string().describe('Its name'),
  state: z.literal('erased').describe('Always `erased`'),
  counts: z.record(z.string(), z.int()).describe('Number of each kind'),
  time: IsoTime.describe('When it was done'),
  key: z.string().describe('Id of the API key that asked for it'),
});
export type WorkspaceReceipt = z.infer<typeof WorkspaceReceipt>;
