import { LANGUAGES, languageName, type LanguageName } from '@adit/contracts';
import { DictionaryEntity, DictionaryVersionEntity } from '@adit/database';
import { checkDictionaryFile, languageFound } from '@adit/dictionaries';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LanguageThread } from './language-thread.js';

const log = createLogger('dictionaries');

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

  /** Resumes detections that an earlier life of the process left. */
  async onApplicationBootstrap(): Promise<void> {
    const left = await this.db.manager.findBy(DictionaryEntity, { detecting: true });
    for (const row of left) this.begin(row, null);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.queue;
  }

  /** `sample` is of the row's version, where that has just been read. */
  begin(row: DictionaryEntity, sample: string | null): void {
    this.queue = this.queue
      .then(() => (this.closing ? undefined : this.detect(row, sample)))
      .catch((error: unknown) =>
        log.warn({ err: error, dictionaryId: row.id }, 'the language of a dictionary was not detected'),
      );
  }

  private async detect(row: DictionaryEntity, sample: string | null): Promise<void> {
    const language = (await languageOf(sample ?? (await this.sampleOf(row)))) ?? 'any';
    await languageFound(this.db.manager, row, language);
  }

  private async sampleOf({ id, workspaceId, version, type }: DictionaryEntity): Promise<string> {
    const { objectKey } = await this.db.manager.findOneByOrFail(DictionaryVersionEntity, { dictionaryId: id, version });
    return (await checkDictionaryFile(workspaceId ?? id, await this.objects.read(objectKey), type)).sample;
  }
}

/**
 * The language of a dictionary by a sample of what it compares labels with; null when it cannot be told reliably.
 * Names tell little: a list of people usually stays without a language. Detector: ELD (Nito T.M.), n-grams, 60 languages.
 */
export async function languageOf(sample: string): Promise<LanguageName | null> {
  const { language, isReliable } = await thread.detect(sample);
  if (!isReliable || !Object.hasOwn(LANGUAGES, language)) return null;
  return languageName(language);
}
