import type { DictionaryPin } from '@adit/contracts';
import { DictionaryStore } from '@adit/dictionaries';
import type { ResolvedModule } from '@adit/jobs';
import { ModuleRegistry, type DictionaryWord } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { RequestResolver } from '../modules/resolve-request.js';

/** Words that a module is told of its dictionaries, and characters of each: as many as a request may name itself. */
const MAX_WORDS = 1_000;
const MAX_LENGTH = 100;

/** Tells modules that ask for it what words the dictionaries of a job hold, before it looks or listens. */
@Injectable()
export class DictionaryWords {
  constructor(
    @Inject(DictionaryStore) private readonly store: DictionaryStore,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
    @Inject(RequestResolver) private readonly resolver: RequestResolver,
  ) {}

  /** Reads nothing unless such a module has pinned one. Throws what reading a dictionary throws. */
  resolve(modules: readonly ResolvedModule[]): Promise<readonly ResolvedModule[]> {
    return Promise.all(
      modules.map(async (module) => {
        const { dictionaries = [] } = module;
        if (dictionaries.length === 0 || !this.registry.get(module.moduleId).withWords) return module;
        const words = await this.wordsOf(dictionaries);
        return words.length === 0 ? module : this.resolver.withWords(module, words);
      }),
    );
  }

  /** Words as they are to be written, in the client's order. Large dictionaries have none. */
  private async wordsOf(pins: readonly DictionaryPin[]): Promise<DictionaryWord[]> {
    const words = new Map<string, DictionaryWord>();
    for (const pin of pins) {
      const dictionary = await this.store.read(pin);
      if (!('entries' in dictionary)) continue;
      for (const { source, target } of dictionary.entries) {
        if (words.size === MAX_WORDS) return [...words.values()];
        const text = (target ?? source).trim();
        const key = `${source}\0${text}`;
        if (text === '' || Math.max(text.length, source.length) > MAX_LENGTH || words.has(key)) continue;
        words.set(key, { source, text, language: dictionary.language });
      }
    }
    return [...words.values()];
  }
}
