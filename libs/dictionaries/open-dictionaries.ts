import type { DictionarySpecification } from '@adit/contracts';
import type { UsedDictionary } from './dictionary.js';
import { AppliedDictionaries, NO_DICTIONARIES, prepareIndex } from './label-dictionaries.js';
import type { LabelDictionaries } from './label-dictionaries.js';

/**
 * Opens the dictionaries that a module's arguments name, as they were when the job was posted. Call it in the module's
 * `open`. Reads nothing when none is named.
 */
export async function openDictionaries(
  args: { dictionaries: readonly DictionarySpecification[] },
  context: { readDictionary(id: string): Promise<UsedDictionary> },
): Promise<LabelDictionaries> {
  if (args.dictionaries.length === 0) return NO_DICTIONARIES;
  const given = await Promise.all(
    args.dictionaries.map(async (specification) => {
      const dictionary = await context.readDictionary(specification.id);
      await prepareIndex(dictionary, specification);
      return { specification, dictionary };
    }),
  );
  return new AppliedDictionaries(given);
}
