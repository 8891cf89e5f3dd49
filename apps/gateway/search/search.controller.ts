import { AditError, PhotoSearchOptions, type PageQuery, type SearchPage, type TimeRange } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { areFacesKept, questionOf, rebuildSearch as rebuild, type AskedQuestion, type Question } from '@adit/search';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Faces } from '../faces/faces.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { Pictures } from '../online-inference/pictures.js';
import { SearchReader } from './search-reader.js';
import { MAX_OFFSET, MAX_RESULTS, rebuildSearch, search, searchByPhoto } from './search-routes.js';

@Controller()
export class SearchController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(SearchReader) private readonly reader: SearchReader,
    @Inject(Links) private readonly links: Links,
    @Inject(Pictures) private readonly pictures: Pictures,
    @Inject(Faces) private readonly faces: Faces,
  ) {}

  @Route(search)
  find({ query }: Input<typeof search>, exchange: Exchange): Promise<SearchPage> {
    const question = this.questionOf(exchange, query, { ...query, created: createdIn(query) }, '?');
    return this.answer(question, query, exchange);
  }

  @Route(searchByPhoto)
  findByPhoto({ query, body }: Input<typeof searchByPhoto>, exchange: Exchange): Promise<SearchPage> {
    const { caller, request } = exchange;
    const { workspaceId } = caller;
    const posted = { workspaceId, request, body, fields: { photo: 'photo' }, options: PhotoSearchOptions };
    return this.pictures.with(
      posted,
      async ({ photo }, { max_distance: maxDistance, face_detection_scale, ...asked }) => {
        const question = this.questionOf(exchange, query, { ...asked, created: createdIn(query) }, '/');
        if (!(await areFacesKept(this.db, workspaceId))) {
          throw new AditError(
            'CONFLICT',
            'This workspace keeps no faces to compare a photo with. A key of the role admin can have those of later jobs kept: PUT /v1/retention/ with "faces".',
          );
        }
        const face = await this.faces.largest(caller, photo, { face_detection_scale });
        return this.answer({ ...question, face: { ...face, maxDistance } }, query, exchange);
      },
    );
  }

  /** Throws VALIDATION for a question that cannot be read, and a page too far. */
  private questionOf({ caller }: Exchange, { offset, limit }: PageOf, asked: AskedQuestion, mark: '?' | '/'): Question {
    if (offset + mostOf(limit) > MAX_OFFSET + MAX_RESULTS) {
      const message = `?offset is at most ${MAX_OFFSET}: go on by ?cursor, from an empty one.`;
      throw new AditError('VALIDATION', message, { errors: [{ pointer: '?offset', code: 'too_big', message }] });
    }
    return questionOf(caller.workspaceId, asked, { modules: this.modules, mark });
  }

  private async answer(question: Question, query: PageOf, { request }: Exchange): Promise<SearchPage> {
    const { cursor, offset } = query;
    const limit = mostOf(query.limit);
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

type PageOf = PageQuery & { facets?: boolean | undefined };

function createdIn({ time_created_from: from, time_created_to: to }: PageQuery): TimeRange {
  return { from, to };
}

function mostOf(limit: number): number {
  return Math.min(limit, MAX_RESULTS);
}
