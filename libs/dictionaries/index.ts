export * from './dictionary.js';
export { DictionaryStore, jobUsing } from './dictionary-store.js';
export { editDistance, editsWithin } from './edit-distance.js';
export { foldText } from './fold-text.js';
export { AppliedDictionaries, NO_DICTIONARIES } from './label-dictionaries.js';
export type { LabelDictionaries } from './label-dictionaries.js';
export { openDictionaries } from './open-dictionaries.js';
export { inferDictionaryType, readDictionaryFile } from './read-file.js';
