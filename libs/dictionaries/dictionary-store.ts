import { randomUUID } from 'node:crypto';
import { AditError, LIFETIME_SECONDS, type DictionaryPin, dropOldest } from '@adit/contracts';
import { DictionaryEntity, DictionaryVersionEntity, isLive, isUuid } from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SMALL_BYTES } from './check-file.js';
import type { Comparison, DictionaryEntry, UsedDictionary } from './dictionary.js';
import { dictionaryThread } from './dictionary-thread.js';
import { readDictionaryFile } from './read-file.js';

/** Number of cached dictionaries; large ones are in a thread. */
const KEPT = 64;
/** Labels that are requested together. */
const TEXTS_PER_REQUEST = 64;

/** Files of dictionaries, version by version. */
@Injectable()
export class DictionaryStore {
  private readonly recent = new Map<string, Promise<UsedDictionary>>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /**
   * Returns a dictionary in its pinned version. Throws INTERNAL when its file is gone, UNAVAILABLE when storage cannot
   * be read.
   */
  read(pin: DictionaryPin): Promise<UsedDictionary> {
    // A pin has its own language, since the same file may have had another one before.
    const key = `${pin.objectKey} ${pin.language}`;
    let loaded = this.recent.get(key);
    if (loaded === undefined) {
      loaded = this.load(pin);
      loaded.catch(() => this.recent.delete(key));
    }
    this.recent.delete(key);
    this.recent.set(key, loaded);
    dropOldest(this.recent, KEPT);
    return loaded;
  }

  /** Stores a file; its key belongs to the version row that the caller inserts next. */
  async put(dictionaryId: string, bytes: Buffer): Promise<string> {
    const key = `dictionaries/${dictionaryId}/${randomUUID()}`;
    await this.objects.put(key, bytes);
    return key;
  }

  async discard(objectKey: string): Promise<void> {
    await this.objects.delete(objectKey);
  }

  /** Removes retired versions that no job refers to. */
  async sweep(now: Date): Promise<void> {
    const before = new Date(now.getTime() - LIFETIME_SECONDS.formerVersion * 1000);
    const unused = await this.db
      .createQueryBuilder(DictionaryVersionEntity, 'v')
      .where('v.time_retired < :before', { before })
      .andWhere(`NOT EXISTS (SELECT 1 FROM job_modules m WHERE ${refersTo('v.object_key')})`)
      .take(500)
      .getMany();
    for (const { dictionaryId, version, objectKey } of unused) {
      await this.objects.delete(objectKey);
      await this.db.manager.delete(DictionaryVersionEntity, { dictionaryId, version });
    }
  }

  private async load(pin: DictionaryPin): Promise<UsedDictionary> {
    const { id, name, type, language } = pin;
    const info = await this.objects.stat(pin.objectKey);
    if (info === null || info.size <= SMALL_BYTES) {
      return { name, type, language, entries: await readDictionaryFile(await this.file(pin), type) };
    }
    // Public dictionaries, and deleted ones that a job still uses, have a queue of their own.
    const row = isUuid(id) ? await this.db.manager.findOneBy(DictionaryEntity, { id }) : null;
    const owner = row?.workspaceId ?? id;
    return { name, type, language, find: (how, texts) => this.find(owner, pin, how, texts) };
  }

  private async find(
    owner: string,
    pin: DictionaryPin,
    how: Comparison,
    texts: readonly string[],
  ): Promise<(DictionaryEntry | null)[]> {
    const { objectKey: key, type } = pin;
    const found: (DictionaryEntry | null)[] = [];
    do {
      const some = texts.slice(found.length, found.length + TEXTS_PER_REQUEST);
      found.push(...(await dictionaryThread.find(owner, { key, type, how, texts: some }, () => this.file(pin))));
    } while (found.length < texts.length);
    return found;
  }

  private async file(pin: DictionaryPin): Promise<Buffer> {
    try {
      return await this.objects.read(pin.objectKey);
    } catch (error) {
      if (AditError.from(error).code !== 'NOT_FOUND') throw error;
      throw new AditError('INTERNAL', `The file of the dictionary ${pin.name} (version ${pin.version}) has gone.`, {
        cause: error,
      });
    }
  }
}

/** Returns an unfinished job that uses a version of this dictionary; null when there is none. */
export async function jobUsing(manager: EntityManager, dictionaryId: string): Promise<string | null> {
  const using: { id: string }[] = await manager.query(
    `SELECT j.id FROM job_modules m JOIN jobs j ON j.id = m.job_id
      WHERE m.dictionaries IS NOT NULL AND m.dictionaries @> $1::jsonb
        AND ${isLive('j')} LIMIT 1`,
    [JSON.stringify([{ id: dictionaryId }])],
  );
  return using[0]?.id ?? null;
}

/** SQL: true when the module `m` of a job pins the file whose key this column holds. */
function refersTo(objectKey: string): string {
  return `m.dictionaries IS NOT NULL AND m.dictionaries @> jsonb_build_array(jsonb_build_object('objectKey', ${objectKey}))`;
}
