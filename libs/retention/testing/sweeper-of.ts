import { DictionaryStore } from '@adit/dictionaries';
import { BatchCommands, JobSettings } from '@adit/jobs';
import type { JobsUnderTest } from '@adit/jobs/testing';
import { ModelStore } from '@adit/model-store';
import { Sweeper } from '../sweeper.js';

type Parts = Pick<JobsUnderTest, 'db' | 'objects' | 'commands' | 'outbox'>;

/** Sweeper over the jobs of a spec, as in a process of its own. */
export function sweeperOf({ db, objects, commands, outbox }: Parts): Sweeper {
  const stores = [new DictionaryStore(db, objects), new ModelStore(db, objects)] as const;
  return new Sweeper(db, objects, commands, ...stores, new BatchCommands(db, outbox, commands), JobSettings.parse({}));
}
