import { randomUUID } from 'node:crypto';
import { columns, inTransaction, JobEntity, SearchFeedEntity, type Database } from '@adit/database';
import type { FindableText } from '@adit/module-kit';
import { keepFaces } from '../../postgres/faces.js';
import type { AskedFace, IndexedJob, Question, SearchDocument, SearchFilter, SearchIndex } from '../../port.js';
import { parseQuery } from '../../query/parse.js';
import { SEARCH_VERSION } from '../../version.js';

/** A document in short. */
export interface Short {
  who?: string;
  what?: string;
  said?: string;
  written?: string;
  where?: string;
  language?: string;
  at?: number;
  /** Seconds; default 1. */
  lasts?: number;
  source?: number;
  module?: string;
  moment?: Date;
  place?: SearchDocument['place'];
}

export interface Asked extends SearchFilter {
  fuzzy?: boolean;
  together?: number;
  face?: AskedFace;
  workspace?: string;
}

/** What is there when the tests begin. */
interface Opened {
  database: Database;
  index: SearchIndex;
  /** Parts of words and misspelt words have to be found. */
  isFuzzy: boolean;
}

/** The index under test, and what tests do with it. */
export class SearchWorld {
  private opened: Opened | undefined;

  open(opened: Opened): void {
    this.opened = opened;
  }

  get database(): Database {
    return this.begun.database;
  }

  get index(): SearchIndex {
    return this.begun.index;
  }

  get isFuzzy(): boolean {
    return this.begun.isFuzzy;
  }

  private get begun(): Opened {
    if (this.opened === undefined) throw new Error('The tests have not begun.');
    return this.opened;
  }

  readonly newJob = async (workspaceId: string, more: Partial<JobEntity> = {}): Promise<IndexedJob> => {
    const id = randomUUID();
    const timeCreated = new Date('2026-11-21T07:00:00Z');
    const usual = { tag: '', batchId: null, priority: 5, rank: 4, mediaType: 'video' as const, timeCreated };
    const job = { id, workspaceId, state: 'completed' as const, ...usual, ...more };
    await this.database.dataSource.manager.insert(JobEntity, columns<JobEntity>(job));
    const languages = ['de', 'en', 'fr'];
    const feed = { id, workspaceId, state: 'done' as const, version: SEARCH_VERSION, languages };
    await this.database.dataSource.manager.insert(SearchFeedEntity, feed);
    return { id, workspaceId, batchId: job.batchId, tag: job.tag, timeCreated: job.timeCreated, round: 0 };
  };

  readonly write = (job: IndexedJob, documents: SearchDocument[], segments?: { from: number; to: number }) =>
    inTransaction(this.database.dataSource, (manager) => this.index.replace(manager, job, documents, segments));

  /** A workspace with a job of these. */
  readonly archive = async (...found: Short[]) => {
    const workspaceId = randomUUID();
    const job = await this.newJob(workspaceId);
    await this.write(job, found.map(document));
    return { workspaceId, job };
  };

  readonly asked = (workspaceId: string, question: string, more: Asked = {}): Question => {
    const { fuzzy = true, together = null, face = null, ...filter } = more;
    const query = question === '' ? null : parseQuery(question, { parameter: 'q' });
    return { workspaceId, query, filter, face, fuzzy, together };
  };

  /** Keeps faces of a job's segments, each by its angle in degrees from a photo of it. */
  readonly keep = (job: IndexedJob, angles: Record<number, number>) =>
    inTransaction(this.database.dataSource, (manager) =>
      keepFaces(
        manager,
        { jobId: job.id, workspaceId: job.workspaceId, network: NETWORK },
        Object.entries(angles).map(([seq, angle]) => ({ seq: Number(seq), embedding: faceAt(angle) })),
      ),
    );

  /** Numbers of the segments, in order. */
  readonly find = async (workspaceId: string, question: string, more: Asked = {}) => {
    const { documents } = await this.index.find(this.asked(workspaceId, question, more), { after: null, limit: 100 });
    return documents.map(({ key }) => key.seq);
  };

  readonly numbers = async (...of: Parameters<typeof this.find>) => (await this.find(...of)).toSorted();
}

const NETWORK = 'n'.repeat(64);
const DIMENSIONS = 512;

/** An embedding at an angle of that of the photo. */
function faceAt(degrees: number): number[] {
  const angle = (degrees * Math.PI) / 180;
  return Array.from({ length: DIMENSIONS }, (_, at) => (at === 0 ? Math.cos(angle) : at === 1 ? Math.sin(angle) : 0));
}

/** A photo; faces up to 60 degrees from it are like it. */
export const PHOTO: AskedFace = { network: NETWORK, embedding: faceAt(0), maxDistance: 1 };

/** The document of a segment. */
export function document(short: Short, seq: number): SearchDocument {
  const { language = null, at = 0, lasts = 1, source = 0, module = 'speech_recognition', place = null } = short;
  const fields = ['what', 'said', 'written', 'where', 'who'] as const;
  const texts = fields.flatMap((field): FindableText[] => {
    const text = short[field];
    return text === undefined
      ? []
      : [{ field, text, language: field === 'who' || field === 'where' ? null : language }];
  });
  return {
    key: { seq, paragraph: null },
    ...{ sourceIndex: source, moduleId: module, type: 'speech', timeStart: at, timeEnd: at + lasts, texts, place },
    moment: short.moment ?? new Date('2026-11-20T07:00:00Z'),
  };
}
