import { isoTime, KeptSearchAlert, type SavedSearch } from '@adit/contracts';
import { inTransaction, readPage, WorkspaceEventEntity, type SavedSearchEntity } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import {
  alertQuestion,
  removeSearch,
  replaceSearch as replace,
  savedSearch,
  savedSearches,
  saveSearch,
  type SavedSearchFields,
} from '@adit/search';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import {
  createSearch,
  deleteSearch,
  getSearch,
  listMatches,
  listSearches,
  replaceSearch,
} from './saved-search-routes.js';

/** Searches that a workspace keeps, to be told of new results. */
@Controller()
export class SavedSearchesController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listSearches)
  async list({ query }: Input<typeof listSearches>, { caller, request }: Exchange) {
    const { total, rows, next } = await savedSearches(this.db.manager, caller.workspaceId, query);
    const baseUrl = this.links.baseUrl(request);
    const shown = rows.map((row) => present(row, baseUrl));
    return this.links.page(request, query, total, shown, next);
  }

  @Route(createSearch)
  async create({ body }: Input<typeof createSearch>, { caller, request, newId, isDone, done }: Exchange) {
    const { workspaceId } = caller;
    const of = { id: newId, workspaceId };
    const row = isDone
      ? await savedSearch(this.db.manager, workspaceId, newId)
      : await saveSearch(this.db, of, { fields: this.checked(workspaceId, body), beside: done });
    return present(row, this.links.baseUrl(request));
  }

  @Route(getSearch)
  async one({ params }: Input<typeof getSearch>, { caller, request }: Exchange) {
    const row = await savedSearch(this.db.manager, caller.workspaceId, params.searchId);
    return present(row, this.links.baseUrl(request));
  }

  @Route(replaceSearch)
  async replace({ params, body }: Input<typeof replaceSearch>, { caller: { workspaceId }, request }: Exchange) {
    const fields = this.checked(workspaceId, body);
    const row = await inTransaction(this.db, (manager) =>
      replace(manager, { id: params.searchId, workspaceId }, fields),
    );
    return present(row, this.links.baseUrl(request));
  }

  @Route(deleteSearch)
  async delete({ params }: Input<typeof deleteSearch>, { caller: { workspaceId } }: Exchange) {
    const { name } = await savedSearch(this.db.manager, workspaceId, params.searchId);
    await inTransaction(this.db, (manager) => removeSearch(manager, workspaceId, params.searchId));
    return { message: `The search ${name} was deleted.` };
  }

  @Route(listMatches)
  async matches({ params, query }: Input<typeof listMatches>, { caller, request }: Exchange) {
    const { id: subjectId, workspaceId } = await savedSearch(this.db.manager, caller.workspaceId, params.searchId);
    const raised = this.db.manager
      .createQueryBuilder(WorkspaceEventEntity, 'e')
      .where({ workspaceId, subjectId, event: 'svc.search.on_match' })
      .andWhere('EXISTS (SELECT 1 FROM jobs j WHERE j.id = e.job_id AND j.time_deleted IS NULL)');
    const { rows, total, next } = await readPage(raised, query, [{ by: 'e.id', kind: 'number', descending: true }]);
    const shown = rows.map(({ data, timeCreated }) => {
      const { job_id, matches } = KeptSearchAlert.parse(data);
      return { job_id, matches, time_created: isoTime(timeCreated) };
    });
    return this.links.page(request, query, total, shown, next);
  }

  /** What is stored of a request. Throws VALIDATION for a question that cannot be read. */
  private checked(
    workspaceId: string,
    { name, alert, ...question }: Input<typeof createSearch>['body'],
  ): SavedSearchFields {
    alertQuestion(workspaceId, question, this.modules);
    return { name, alert, question };
  }
}

function present(
  { id, name, question, alert, timeCreated, timeUpdated }: SavedSearchEntity,
  baseUrl: string,
): SavedSearch {
  const asked = Object.entries({ fuzzy: false, ...question }).map(([field, value]): [string, string] => [
    field,
    String(value),
  ]);
  return {
    id,
    name,
    ...question,
    alert,
    link: `${baseUrl}/api/v1/search/?${new URLSearchParams(asked).toString()}`,
    time_created: isoTime(timeCreated),
    time_updated: isoTime(timeUpdated),
  };
}
