import { AditError, MAX_HELD_TAGS, RETENTION_KINDS, type Retention, type RetentionHolds } from '@adit/contracts';
import { inTransaction, WorkspaceEntity, type Beside } from '@adit/database';
import { noteChanges, pendingChanges } from '@adit/retention';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Route, type Exchange, type Input } from '../http/route.js';
import { RetentionDefaults } from './retention-defaults.js';
import { getHolds, getRetention, getUpcoming, liftHold, replaceRetention, setHold } from './retention-routes.js';
import { upcoming } from './upcoming.js';

@Controller()
export class RetentionController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(RetentionDefaults) private readonly defaults: RetentionDefaults,
  ) {}

  @Route(getRetention)
  one(_input: Input<typeof getRetention>, { caller }: Exchange): Promise<Retention> {
    return this.shown(caller.workspaceId);
  }

  @Route(replaceRetention)
  async replace({ body }: Input<typeof replaceRetention>, { caller }: Exchange): Promise<Retention> {
    const { workspaceId } = caller;
    await inTransaction(this.db, async (manager) => {
      const { retention: former } = await locked(manager, workspaceId);
      const retention = Object.fromEntries(
        RETENTION_KINDS.flatMap((kind) => (body[kind] === null ? [] : [[kind, body[kind]]])),
      );
      await manager.update(WorkspaceEntity, { id: workspaceId }, { retention });
      const changed = RETENTION_KINDS.filter((kind) => (former[kind] ?? null) !== body[kind]);
      await noteChanges(manager, workspaceId, changed);
    });
    return this.shown(workspaceId);
  }

  @Route(getUpcoming)
  async upcoming({ query }: Input<typeof getUpcoming>, { caller }: Exchange) {
    const { audit_lines: auditLines } = await this.defaults.all();
    return upcoming(this.db, caller.workspaceId, query.within_hours, auditLines);
  }

  @Route(getHolds)
  async holds(_input: Input<typeof getHolds>, { caller }: Exchange): Promise<RetentionHolds> {
    const { heldTags } = await this.db.manager.findOneByOrFail(WorkspaceEntity, { id: caller.workspaceId });
    return { tags: heldTags };
  }

  /** Deletions under way hold the workspace's row: those that this waits for have not seen the hold, later ones do. */
  @Route(setHold)
  hold({ body: { tag } }: Input<typeof setHold>, { caller, done, isDone }: Exchange): Promise<RetentionHolds> {
    const beside = isDone ? undefined : done;
    return this.changeHolds(caller.workspaceId, beside, (tags) => {
      if (!tags.includes(tag) && tags.length >= MAX_HELD_TAGS) {
        throw new AditError(
          'CONFLICT',
          `A workspace has at most ${MAX_HELD_TAGS} tags under a legal hold; lift one first.`,
        );
      }
      return [...new Set([...tags, tag])];
    });
  }

  @Route(liftHold)
  lift({ params: { heldTag } }: Input<typeof liftHold>, { caller }: Exchange): Promise<RetentionHolds> {
    return this.changeHolds(caller.workspaceId, undefined, (tags) => {
      if (!tags.includes(heldTag)) throw new AditError('NOT_FOUND', `The tag ${heldTag} is under no legal hold.`);
      return tags.filter((tag) => tag !== heldTag);
    });
  }

  private changeHolds(
    workspaceId: string,
    beside: Beside | undefined,
    change: (tags: string[]) => string[],
  ): Promise<RetentionHolds> {
    return inTransaction(this.db, async (manager) => {
      await beside?.(manager);
      const { heldTags: former } = await locked(manager, workspaceId);
      const heldTags = change(former).toSorted();
      await manager.update(WorkspaceEntity, { id: workspaceId }, { heldTags });
      // What was put off for a hold that is lifted goes when it would have gone.
      if (former.some((tag) => !heldTags.includes(tag))) await noteChanges(manager, workspaceId, ['artifacts']);
      return { tags: heldTags };
    });
  }

  private async shown(workspaceId: string): Promise<Retention> {
    const { retention } = await this.db.manager.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    const own = (kind: (typeof RETENTION_KINDS)[number]): number | null => retention[kind] ?? null;
    return {
      observations: own('observations'),
      results: own('results'),
      artifacts: own('artifacts'),
      uploads: own('uploads'),
      recordings: own('recordings'),
      audit_lines: own('audit_lines'),
      receipts: own('receipts'),
      faces: own('faces'),
      defaults: await this.defaults.all(),
      pending: await pendingChanges(this.db, workspaceId),
    };
  }
}

function locked(manager: EntityManager, id: string): Promise<WorkspaceEntity> {
  return manager.findOneOrFail(WorkspaceEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
}
