import { restampArtifacts } from '@adit/artifacts';
import type { RetentionKind } from '@adit/contracts';
import { RetentionChangeEntity } from '@adit/database';
import { restampMedia, restampObservations } from '@adit/jobs';
import { LessThan, type EntityManager } from 'typeorm';
import { BATCH_SIZE, hasRemoved, timeLimited, type RetentionPass, type RetentionRule } from '../rule.js';

/** Time after which no statement is under way that has read the former value. */
const SETTLED_MILLISECONDS = 60_000;

/** Computes the expiry of some rows anew; returns the next position, null when all are done. */
type Restamp = (
  db: Pick<EntityManager, 'query'>,
  workspaceId: string,
  after: readonly string[] | null,
  limit: number,
) => Promise<string[] | null>;

/** Tables of each kind, in the order in which they are gone through. */
const TABLES: Partial<Record<RetentionKind, readonly Restamp[]>> = {
  observations: [restampObservations, restampMedia],
  artifacts: [restampArtifacts],
};

/**
 * Applies changed retention to rows that carry their expiry. A step is repeated when its process dies before its position
 * is stored, which changes nothing.
 */
export const changedRetention: RetentionRule = {
  kind: 'changed_retention',
  async apply(whole) {
    const pass = timeLimited(whole);
    const before = new Date(pass.now.getTime() - SETTLED_MILLISECONDS);
    const changes = await pass.db.manager.find(RetentionChangeEntity, {
      where: { timeChanged: LessThan(before) },
      order: { timeChanged: 'ASC' },
    });
    for (const change of changes) await hasRemoved(this.kind, () => applyChange(pass, change));
  },
};

async function applyChange({ db, shouldContinue }: RetentionPass, change: RetentionChangeEntity): Promise<void> {
  const { workspaceId, kind, revision } = change;
  const tables = TABLES[kind] ?? [];
  const [table = '0', ...behind] = change.position ?? [];
  let at = Number(table);
  let after: readonly string[] | null = behind.length === 0 ? null : behind;
  for (let restamp = tables[at]; restamp !== undefined; restamp = tables[at]) {
    if (!(await shouldContinue())) return;
    after = await restamp(db.manager, workspaceId, after, BATCH_SIZE);
    if (after === null) at += 1;
    // A newer change begins anew.
    const position = [String(at), ...(after ?? [])];
    const { affected } = await db.manager.update(RetentionChangeEntity, { workspaceId, kind, revision }, { position });
    if (affected === 0) return;
  }
  await db.manager.delete(RetentionChangeEntity, { workspaceId, kind, revision });
}
