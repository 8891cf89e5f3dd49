import { AditError, type ClassChange, type DatasetClass } from '@adit/contracts';
import { containing, createdWithin, DatasetClassEntity, inTransaction, readPage } from '@adit/database';
import { changeClass, deleteClass, insertClassesWithin, presentClass, referenceTaken } from '@adit/datasets';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, ILike, IsNull, type FindOptionsWhere } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Links } from '../http/links.js';
import { longList } from '../http/long-lists.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import * as routes from './class-routes.js';
import { behind, DatasetRows } from './dataset-rows.js';

@Controller()
export class ClassesController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DatasetRows) private readonly rows: DatasetRows,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(routes.listClasses)
  async list({ params, query }: Input<typeof routes.listClasses>, { caller, request, reply }: Exchange) {
    const { id: datasetId, type } = await this.rows.dataset(caller.workspaceId, params.datasetId);
    const all: FindOptionsWhere<DatasetClassEntity> = { datasetId, timeDeleted: IsNull() };
    if (query.active !== undefined) all.active = query.active;
    if (query.reference !== undefined) all.reference = query.reference;
    const found = query.search === undefined ? undefined : ILike(containing(query.search));
    const created = createdWithin(query);
    if (created !== null) all.timeCreated = created;
    const whereOf = (more: FindOptionsWhere<DatasetClassEntity>) =>
      found === undefined
        ? { ...all, ...more }
        : [
            { reference: found, ...all, ...more },
            { ...all, ...more, label: found },
          ];
    const show = async (rows: DatasetClassEntity[]): Promise<DatasetClass[]> => {
      const previews = await this.rows.previews(rows.map(({ id }) => id));
      return rows.map((row) => presentClass(row, type, previews.get(row.id) ?? null));
    };
    const page = askedPage(query);
    if (page === null) {
      const read = (after: DatasetClassEntity | null, take: number) =>
        this.db.manager.find(DatasetClassEntity, { where: whereOf(behind(after)), order: { seq: 'ASC' }, take });
      return longList(reply, read, show);
    }
    const matching = this.db.manager.createQueryBuilder(DatasetClassEntity, 'c').where(whereOf({}));
    const { rows, total, next } = await readPage(matching, page, [{ by: 'c.seq', kind: 'number' }]);
    return this.links.page(request, page, total, await show(rows), next);
  }

  @Route(routes.createClass)
  async create({ params, body }: Input<typeof routes.createClass>, exchange: Exchange) {
    const { newId: id, isDone, done } = exchange;
    const { workspaceId } = exchange.caller;
    const { id: datasetId } = await this.rows.dataset(workspaceId, params.datasetId);
    if (isDone) return this.read(workspaceId, datasetId, id);
    const place = { workspaceId, datasetId };
    await inTransaction(this.db, async (manager) => {
      await done(manager);
      const made = await insertClassesWithin(manager, place, [{ ...body, id }], this.config.maxClasses);
      if (made.length === 0) throw referenceTaken(body.reference ?? id);
    });
    return this.read(workspaceId, datasetId, id);
  }

  @Route(routes.getClass)
  one({ params }: Input<typeof routes.getClass>, { caller }: Exchange) {
    return this.read(caller.workspaceId, params.datasetId, params.classId);
  }

  @Route(routes.replaceClass)
  replace({ params, body }: Input<typeof routes.replaceClass>, { caller }: Exchange) {
    return this.changed(caller.workspaceId, params, body);
  }

  @Route(routes.changeClass)
  change({ params, body }: Input<typeof routes.changeClass>, { caller }: Exchange) {
    return this.changed(caller.workspaceId, params, body);
  }

  @Route(routes.deleteClassRoute)
  async delete({ params }: Input<typeof routes.deleteClassRoute>, { caller: { workspaceId } }: Exchange) {
    const { label } = await deleteClass(this.db, { workspaceId, ...params });
    return { message: `The class ${label} was deleted.` };
  }

  private async changed(
    workspaceId: string,
    params: { datasetId: string; classId: string },
    change: ClassChange,
  ): Promise<DatasetClass> {
    await inTransaction(this.db, (manager) => changeClass(manager, { workspaceId, ...params }, change)).catch(
      (error: unknown) => {
        throw isUniqueViolation(error) ? referenceTaken(change.reference ?? '') : error;
      },
    );
    return this.read(workspaceId, params.datasetId, params.classId);
  }

  private async read(workspaceId: string, datasetId: string, classId: string): Promise<DatasetClass> {
    const { type } = await this.rows.dataset(workspaceId, datasetId);
    const row = await this.rows.class(workspaceId, datasetId, classId);
    const previews = await this.rows.previews([row.id]);
    return presentClass(row, type, previews.get(row.id) ?? null);
  }
}

/** Two that took one reference at the same time: the index decides. */
function isUniqueViolation(error: unknown): boolean {
  const cause = error instanceof AditError ? error.options.cause : error;
  // Whatever was thrown: its code is read as one is read of anything.
  return String((cause as { code?: unknown } | null)?.code) === '23505';
}
