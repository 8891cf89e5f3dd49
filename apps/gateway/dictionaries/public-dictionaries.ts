import { DictionaryVersionEntity, inTransaction, type DictionaryEntity } from '@adit/database';
import { DictionaryStore, installDictionary } from '@adit/dictionaries';
import { sha256Of } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import objectsFrench from './public/objects-french.js';
import objectsSpanish from './public/objects-spanish.js';

interface PublicDictionary {
  /** The same everywhere and for ever. */
  id: string;
  name: string;
  type: DictionaryEntity['type'];
  /** Language of the labels it serves. */
  language: DictionaryEntity['language'];
  file: string;
}

const SHIPPED: PublicDictionary[] = [
  {
    id: 'ad170000-0000-4000-8000-000000000001',
    name: 'objects-french',
    type: 'map',
    language: 'english',
    file: objectsFrench,
  },
  {
    id: 'ad170000-0000-4000-8000-000000000002',
    name: 'objects-spanish',
    type: 'map',
    language: 'english',
    file: objectsSpanish,
  },
];

/** Dictionaries that come with Adit: there from the first start, a new version when a release changes one. */
@Injectable()
export class PublicDictionaries implements OnApplicationBootstrap {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DictionaryStore) private readonly store: DictionaryStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const shipped of SHIPPED) await this.install(shipped);
  }

  private async install({ id, name, type, language, file }: PublicDictionary): Promise<void> {
    const bytes = Buffer.from(file);
    const digest = sha256Of(bytes);
    if (await this.db.manager.existsBy(DictionaryVersionEntity, { dictionaryId: id, digest })) return;
    const objectKey = await this.store.put(id, bytes);
    const isOurs = await inTransaction(this.db, (manager) =>
      installDictionary(manager, { id, name, type, language }, { digest, size: bytes.length, objectKey }),
    );
    if (!isOurs) await this.store.discard(objectKey);
  }
}
