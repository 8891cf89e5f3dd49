import { randomUUID } from 'node:crypto';
import { AditError, isoTime, type Dictionary, type PageQuery } from '@adit/contracts';
import {
  DictionaryEntity,
  DictionaryVersionEntity,
  inTransaction,
  isUuid,
  readPage,
  refuseBeyond,
  type FoundPage,
} from '@adit/database';
import {
  changeDictionary,
  checkDictionaryFile,
  deleteDictionary,
  DictionaryStore,
  inferDictionaryType,
  insertDictionary,
  jobUsing,
  type CheckedFile,
} from '@adit/dictionaries';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager } from 'typeorm';
import { fileName } from '@adit/storage';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { SentFile } from './dictionary-form.js';
import { LanguageDetection } from './language-detection.js';

/** Fields of a dictionary that a client may set; with `auto` its language is detected. */
export interface DictionaryFields {
  name?: string | undefined;
  language?: DictionaryEntity['language'] | 'auto' | undefined;
}

/** The dictionaries a workspace sees: its own and the public ones. */
@Injectable()
export class Dictionaries {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DictionaryStore) private readonly store: DictionaryStore,
    @Inject(LanguageDetection) private readonly detection: LanguageDetection,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'maxDictionaries'>,
  ) {}

  /** The oldest first, public ones before the workspace's own. */
  list(workspaceId: string, page: Partial<PageQuery>): Promise<FoundPage<DictionaryEntity>> {
    const found = this.db.manager
      .createQueryBuilder(DictionaryEntity, 'd')
      .where('(d.workspaceId = :workspaceId OR d.workspaceId IS NULL)', { workspaceId });
    return readPage(found, page, [
      { by: '(d.workspaceId IS NOT NULL)', kind: 'flag' },
      { by: 'd.timeCreated', kind: 'time' },
      { by: 'd.id', kind: 'uuid' },
    ]);
  }

  /** Throws NOT_FOUND, also for another workspace's. */
  async get(workspaceId: string, id: string): Promise<DictionaryEntity> {
    const row = isUuid(id)
      ? await this.db.manager.findOne(DictionaryEntity, {
          where: visibleTo(workspaceId).map((one) => ({ ...one, id })),
        })
      : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no dictionary ${id}.`);
    return row;
  }

  currentVersion({ id: dictionaryId, version }: DictionaryEntity): Promise<DictionaryVersionEntity> {
    return this.db.manager.findOneByOrFail(DictionaryVersionEntity, { dictionaryId, version });
  }

  /** Before a file is read for nothing. Throws CONFLICT when the workspace may have no more. */
  refuseFull(workspaceId: string): Promise<void> {
    return inTransaction(this.db, (manager) => this.refuseMore(manager, workspaceId));
  }

  /** Throws VALIDATION with the wrong lines, CONFLICT when the workspace may have no more. */
  async create(workspaceId: string, file: SentFile, fields: DictionaryFields): Promise<DictionaryEntity> {
    const { type, sample, ...version } = await checked(workspaceId, file);
    const id = randomUUID();
    const name = fields.name ?? fileName(file.filename, '/file');
    const objectKey = await this.store.put(id, file.bytes);
    const row = await inTransaction(this.db, async (manager) => {
      await this.refuseMore(manager, workspaceId);
      const dictionary = { id, workspaceId, name, type, ...languageOf(fields) };
      return insertDictionary(manager, dictionary, { ...version, objectKey });
    });
    if (row.detecting) this.detection.begin(row, sample);
    return row;
  }

  /**
   * Changes what is given; a file becomes a new version, so that jobs that were posted keep the one they have. Throws
   * NOT_FOUND, FORBIDDEN for public ones, VALIDATION.
   */
  async change(
    workspaceId: string,
    dictionaryId: string,
    file: SentFile | null,
    fields: DictionaryFields,
  ): Promise<DictionaryEntity> {
    const { id } = await this.owned(workspaceId, dictionaryId);
    const checkedFile = file === null ? null : await checked(workspaceId, file);
    const objectKey = file === null ? null : await this.store.put(id, file.bytes);
    const row = await inTransaction(this.db, async (manager) => {
      const before = await manager.findOne(DictionaryEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (before === null) throw new AditError('NOT_FOUND', `There is no dictionary ${id}.`);
      const changes: Partial<DictionaryEntity> = {
        ...(fields.name === undefined ? {} : { name: fields.name }),
        ...(fields.language === undefined ? {} : languageOf(fields)),
      };
      const added = checkedFile === null || objectKey === null ? null : { ...checkedFile, objectKey };
      return changeDictionary(manager, before, changes, added);
    });
    if (row.detecting) this.detection.begin(row, checkedFile?.sample ?? null);
    return row;
  }

  /** Throws NOT_FOUND, FORBIDDEN for public ones, CONFLICT while a job that has not ended uses it. */
  async remove(workspaceId: string, dictionaryId: string): Promise<DictionaryEntity> {
    const row = await this.owned(workspaceId, dictionaryId);
    await inTransaction(this.db, async (manager) => {
      const job = await jobUsing(manager, row.id);
      if (job !== null) {
        throw new AditError('CONFLICT', `Job ${job} still uses the dictionary ${row.name}; stop or delete it first.`);
      }
      await deleteDictionary(manager, row.id);
    });
    return row;
  }

  private refuseMore(manager: EntityManager, workspaceId: string): Promise<void> {
    const most = this.config.maxDictionaries;
    return refuseBeyond(manager, {
      kind: 'dictionaries',
      ownerId: workspaceId,
      most,
      rows: 'SELECT 1 FROM dictionaries WHERE workspace_id = $1',
      message: `A workspace has at most ${most} dictionaries; delete one.`,
    });
  }

  private async owned(workspaceId: string, id: string): Promise<DictionaryEntity> {
    const row = await this.get(workspaceId, id);
    if (row.workspaceId === null) {
      throw new AditError('FORBIDDEN', `${row.name} is a public dictionary; it cannot be changed or deleted.`);
    }
    return row;
  }
}

export function presentDictionary(row: DictionaryEntity): Dictionary {
  const { id, name, type, language, timeCreated, workspaceId } = row;
  return { id, name, type, language, time_created: isoTime(timeCreated), is_public: workspaceId === null };
}

/** Rows of the workspace and public ones; of these ids when some are given. */
export function visibleTo(workspaceId: string, ids?: string[]) {
  const only = ids === undefined ? {} : { id: In(ids) };
  return [
    { workspaceId, ...only },
    { workspaceId: IsNull(), ...only },
  ];
}

/** Facts about a file all of whose lines are right. */
async function checked(
  workspaceId: string,
  { bytes, contentType, filename }: SentFile,
): Promise<CheckedFile & { type: DictionaryEntity['type']; size: number }> {
  const type = inferDictionaryType(bytes, { contentType, filename });
  return { ...(await checkDictionaryFile(workspaceId, bytes, type)), type, size: bytes.length };
}

function languageOf({ language = 'any' }: DictionaryFields): Pick<DictionaryEntity, 'language' | 'detecting'> {
  return language === 'auto' ? { language: 'any', detecting: true } : { language, detecting: false };
}
