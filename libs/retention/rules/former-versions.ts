import { Canaries } from '@adit/model-store';
import { storeRule } from '../rule.js';

/** Retired versions of dictionaries that no job refers to. */
export const dictionaryVersions = storeRule('dictionaries', ({ dictionaries, now }) => dictionaries.sweep(now));

/** Retired versions of models that no job refers to. */
export const modelVersions = storeRule('models', ({ models, now }) => models.sweep(now));

/** Pictures and counts of canaries that outlived their time, their job or their model. */
export const canaries = storeRule('canaries', ({ db, now }) => new Canaries(db).sweep(now));
