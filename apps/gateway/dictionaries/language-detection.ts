import { buffer } from 'node:stream/consumers';
import { LANGUAGES, languageName, type LanguageName } from '@adit/contracts';
import { DictionaryEntity, DictionaryVersionEntity } from '@adit/database';
import { readDictionaryFile, type DictionaryEntry } from '@adit/dictionaries';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LanguageThread } from './language-thread.js';

const log = createLogger('dictionaries');
/** Enough to tell a language by, little enough to take no time. */
const SAMPLED_ENTRIES = 1_000;
const SAMPLED_CHARACTERS = 20_000;

const thread = new LanguageThread();

/** Finds out the language of dictionaries that were uploaded with `auto`, one after the other, after the reply. */
@Injectable()
export class LanguageDetection implements OnApplicationBootstrap, OnApplicationShutdown {
  private queue: Promise<void> = Promise.resolve();
  private closing = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /** What a former life of the process left. */
  async onApplicationBootstrap(): Promise<void> {
    const left = await this.db.manager.find(DictionaryEntity, { where: { detecting: true }, select: { id: true } });
    for (const { id } of left) this.begin(id);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.queue;
  }

  begin(dictionaryId: string): void {
    this.queue = this.queue
      .then(() => (this.closing ? undefined : this.detect(dictionaryId)))
      .catch((error: unknown) =>
        log.warn({ err: error, dictionaryId }, 'the language of a dictionary was not detected'),
      );
  }

  private async detect(id: string): Promise<void> {
    const row = await this.db.manager.findOneBy(DictionaryEntity, { id, detecting: true });
    if (row === null) return;
    const { version, type } = row;
    const file = await this.db.manager.findOneByOrFail(DictionaryVersionEntity, { dictionaryId: id, version });
    const entries = await readDictionaryFile(await buffer(await this.objects.get(file.objectKey)), type);
    const language = (await languageOfEntries(entries)) ?? 'any';
    // Another file or language that came meanwhile is not overwritten.
    await this.db.manager.update(DictionaryEntity, { id, version, detecting: true }, { language, detecting: false });
  }
}

/**
 * The language of what a dictionary compares labels with (of a map, its sources); null when it cannot be told reliably.
 * Names tell little: a list of people usually stays without a language. Detector: ELD (Nito T.M.), n-grams, 60 languages.
 */
export async function languageOfEntries(entries: readonly DictionaryEntry[]): Promise<LanguageName | null> {
  const step = Math.max(1, entries.length / SAMPLED_ENTRIES);
  let text = '';
  for (let at = 0; at < entries.length && text.length < SAMPLED_CHARACTERS; at += step) {
    text += `${entries[Math.floor(at)]?.source ?? ''}. `;
  }
  const { language, isReliable } = await thread.detect(text);
  if (!isReliable || !Object.hasOwn(LANGUAGES, language)) return null;
  return languageName(language);
}
