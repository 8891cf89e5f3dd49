import { AditError, LIFETIME_SECONDS, type RetentionKind } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** Retention of an installation whose settings were not stored yet. */
const BUILT_IN: Partial<Record<RetentionKind, number>> = {
  observations: LIFETIME_SECONDS.observation,
  artifacts: LIFETIME_SECONDS.artifact,
  recordings: LIFETIME_SECONDS.recording,
  // Biometric data: none is kept unless a workspace asks for it.
  faces: 0,
};

/** SQL: seconds for which the workspace, in SQL, keeps things of the kind; null: without a limit. */
export function retentionSeconds(kind: RetentionKind, workspaceId: string): string {
  return `coalesce((SELECT (w.retention ->> '${kind}')::bigint FROM workspaces w WHERE w.id = ${workspaceId}), ${installationSeconds(kind)})`;
}

/** SQL: the same of workspaces without a value of their own. */
export function installationSeconds(kind: RetentionKind): string {
  return `(SELECT CASE WHEN count(*) = 0 THEN ${BUILT_IN[kind] ?? 'NULL'} ELSE max(d.seconds) END FROM retention_defaults d WHERE d.kind = '${kind}')`;
}

/** Seconds by which the expiry of what a legal hold keeps is put off, each time that it comes up. */
export const HOLD_SECONDS = 86_400;
/** Seconds before its expiry at which that happens, so that clients go on finding it between two passes. */
export const HOLD_AHEAD_SECONDS = 600;

/** SQL: the job under the alias is under a legal hold. */
export function isHeld(alias: string): string {
  return `EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ${alias}.workspace_id AND ${alias}.tag = ANY(w.held_tags))`;
}

/**
 * Returns the tags that are under a legal hold, and lets none become one before the transaction ends: whoever sets a
 * hold waits for deletions under way, and later ones see it. Empty once the workspace is being erased.
 */
export async function lockHeldTags(manager: EntityManager, workspaceId: string): Promise<ReadonlySet<string>> {
  const [row]: { tags: string[] }[] = await manager.query(
    `SELECT CASE WHEN time_deleted IS NULL THEN held_tags ELSE '{}' END AS tags FROM workspaces WHERE id = $1 FOR SHARE`,
    [workspaceId],
  );
  return new Set(row?.tags);
}

/** `what` begins the message: "The job 1". */
export function heldBack(what: string, tag: string): AditError {
  return new AditError(
    'CONFLICT',
    `${what} is under a legal hold by the tag ${tag}, which stands in the way of its deletion. A key of the role admin can lift it: DELETE /v1/retention/holds/${encodeURIComponent(tag)}/.`,
  );
}
