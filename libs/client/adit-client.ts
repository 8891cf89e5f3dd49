import { ApiClient } from './api-client.js';
import { followWorkspace, type Following, type WorkspaceEvent } from './events.js';
import { Faces, type Picture } from './faces.js';
import { Jobs } from './jobs.js';
import type { Operations, SearchResult } from './schema.js';
import { Storage } from './storage.js';
import { Transport, type ClientOptions } from './transport.js';

/** What is asked beside a photo. */
type BesidePhoto = Omit<Operations['POST /v1/search/']['form'], 'photo'>;

/** Moments that one page of the search holds at the most. */
const SEARCH_PAGE = 100;

/** The API of one Adit service. Every operation by its name through `request`; jobs, files and faces with what makes them easy. */
export class AditClient extends ApiClient {
  readonly jobs: Jobs;
  readonly faces: Faces;
  readonly storage: Storage;

  constructor(options: ClientOptions) {
    super(new Transport(options));
    this.jobs = new Jobs(this);
    this.faces = new Faces(this.transport);
    this.storage = new Storage(this, this.transport);
  }

  /** Moments of all jobs: exact ones first, then the shortest, then the newest. */
  search(query: Operations['GET /v1/search/']['query']): AsyncGenerator<SearchResult> {
    return this.items('GET /v1/search/', { query: { limit: SEARCH_PAGE, ...query } });
  }

  /**
   * Moments that show the person of a photo, the nearest faces first, with whatever else is asked. Of a workspace that keeps
   * faces: `faces` of `PUT /v1/retention/`.
   */
  searchByPhoto(photo: Picture, asked: BesidePhoto = {}): AsyncGenerator<SearchResult> {
    return this.items('POST /v1/search/', { query: { limit: SEARCH_PAGE }, form: { ...asked, photo } });
  }

  /**
   * Yields the events of the workspace as they happen, each once; `signal` ends it. See `followWorkspace` for its
   * errors.
   */
  events(following: Following = {}): AsyncGenerator<WorkspaceEvent> {
    return followWorkspace(this, following);
  }
}
