import { Module } from '@nestjs/common';
import { DictionariesApiModule } from '../dictionaries/dictionaries.module.js';
import { DictionaryWords } from '../dictionaries/dictionary-words.js';
import { HttpModule } from '../http/http.module.js';
import { ModulesApiModule } from '../modules/modules.module.js';
import { IndexesApiModule } from '../indexes/indexes.module.js';
import { DatasetChecks } from './dataset-checks.js';
import { DryRuns } from './dry-runs.js';
import { JobPreparation } from './job-preparation.js';
import { JobReader } from './job-reader.js';
import { JobSignals } from './job-signals.js';
import { JobsController } from './jobs.controller.js';
import { UsageApiModule } from '../usage/usage.module.js';
import { SourceChecks } from './source-checks.js';
import { WaitForJob } from './wait-for-job.js';

/** Jobs: prepared, submitted and read. */
@Module({
  imports: [DictionariesApiModule, HttpModule, IndexesApiModule, ModulesApiModule, UsageApiModule],
  controllers: [JobsController],
  providers: [DatasetChecks, DictionaryWords, DryRuns, JobPreparation, JobReader, JobSignals, SourceChecks, WaitForJob],
  exports: [JobPreparation, JobReader, JobSignals, SourceChecks],
})
export class JobsApiModule {}
