import { AditError } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { questionOf, rebuildSearch as rebuild } from '@adit/search';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { SearchReader } from './search-reader.js';
import { MAX_OFFSET, MAX_RESULTS, rebuildSearch, search } from './search-routes.js';

@Controller()
export class SearchController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(SearchReader) private readonly reader: SearchReader,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(search)
  async find({ query }: Input<typeof search>, { caller, request }: Exchange) {
    const limit = Math.min(query.limit, MAX_RESULTS);
    const { cursor, offset } = query;
    if (offset + limit > MAX_OFFSET + MAX_RESULTS) {
      const message = `?offset is at most ${MAX_OFFSET}: go on by ?cursor, from an empty one.`;
      throw new AditError('VALIDATION', message, { errors: [{ pointer: '?offset', code: 'too_big', message }] });
    }
    const created = { from: query.time_created_from, to: query.time_created_to };
    const question = questionOf(caller.workspaceId, { ...query, created }, { modules: this.modules });
    const place = cursor === undefined || cursor === '' ? null : cursor;
    const skip = place === null ? offset : 0;
    const baseUrl = this.links.baseUrl(request);
    const { results, next, isComplete } = await this.reader.page(question, { after: place, skip, limit, baseUrl });
    const counted = await this.reader.count(question);
    const facets = query.facets === true ? await this.reader.facets(question) : null;
    return {
      ...this.links.page(request, { ...query, limit }, counted.total, results, next),
      total_is_exact: counted.isExact,
      fuzzy: question.fuzzy && (await this.reader.isFuzzy()),
      fuzzy_is_complete: isComplete && counted.isComplete,
      facets,
    };
  }

  @Route(rebuildSearch)
  async rebuild(_: Input<typeof rebuildSearch>, { caller: { workspaceId }, isDone, done }: Exchange) {
    const jobs = await inTransaction(this.db, async (manager) => {
      if (!isDone) await done(manager);
      // The same jobs, however often it is asked.
      return rebuild(manager, { workspaceId });
    });
    return { jobs };
  }
}
