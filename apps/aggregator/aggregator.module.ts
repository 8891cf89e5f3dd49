import { Reconciler, Scheduler, Sweeper } from '@adit/jobs';
import { ModuleRegistry } from '@adit/mining';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { AnalysedChunks } from './analysed-chunks.js';
import { Exports } from './exports.js';
import { FoldAdvance } from './fold-advance.js';
import { Folding } from './folding.js';
import { JobAdvance } from './job-advance.js';
import { JobArtifacts } from './job-artifacts.js';
import { JobEndings } from './job-endings.js';
import { JobResults } from './job-results.js';
import { JobSummary } from './job-summary.js';
import { KeptPictures } from './kept-pictures.js';
import { OpenFolds } from './open-folds.js';
import { ProgressPace } from './progress-pace.js';
import { ReadyChunks } from './ready-chunks.js';
import { Reports } from './reports.js';
import { TopicsHandler } from './topics.handler.js';
import { WaitingFolds } from './waiting-folds.js';

const ADVANCE_PERIOD_MILLISECONDS = 30_000;

/** Folds, schedules, reconciles, and writes exports and reports. Stands on the models, database, bus, objects and jobs modules. */
@Module({})
export class AggregatorModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(JobAdvance) private readonly jobs: JobAdvance) {}

  static forRoot(modules: ModuleRegistry): DynamicModule {
    return {
      module: AggregatorModule,
      controllers: [TopicsHandler],
      providers: [
        { provide: ModuleRegistry, useValue: modules },
        AnalysedChunks,
        Exports,
        FoldAdvance,
        Folding,
        JobAdvance,
        JobArtifacts,
        JobEndings,
        JobResults,
        JobSummary,
        KeptPictures,
        OpenFolds,
        ProgressPace,
        ReadyChunks,
        Reconciler,
        Reports,
        Scheduler,
        Sweeper,
        WaitingFolds,
      ],
      exports: [Exports, JobAdvance, Reconciler, Reports],
    };
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.jobs.advanceAll(), ADVANCE_PERIOD_MILLISECONDS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
