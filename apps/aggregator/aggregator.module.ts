import { NeighbourSearches } from '@adit/indexes';
import { Reconciler, Scheduler } from '@adit/jobs';
import { Sweeper } from '@adit/retention';
import { ModuleRegistry } from '@adit/module-kit';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { AnalysedChunks } from './folding/analysed-chunks.js';
import { ClassEvaluations } from './tasks/class-evaluations.js';
import { DatasetErasures } from './tasks/dataset-erasures.js';
import { DatasetImports } from './tasks/dataset-imports.js';
import { DiskUses } from './tasks/disk-use.js';
import { Exports } from './tasks/exports.js';
import { FaceIndexing } from './folding/indexed-faces.js';
import { FoldAdvance } from './folding/fold-advance.js';
import { FilmFrames } from './folding/film-frames.js';
import { LiveFrames } from './folding/live-frames.js';
import { Folding } from './folding/folding.js';
import { JobAdvance } from './folding/job-advance.js';
import { JobArtifacts } from './endings/job-artifacts.js';
import { JobEndings } from './endings/complete-jobs.js';
import { JobResults } from './endings/job-results.js';
import { JobSummary } from './endings/job-summary.js';
import { KeptPictures } from './folding/kept-pictures.js';
import { ModuleFiles } from './endings/module-files.js';
import { OpenFolds } from './folding/open-folds.js';
import { ProgressPace } from './folding/progress-pace.js';
import { ReadyChunks } from './folding/ready-chunks.js';
import { RefinedBorders } from './tasks/refined-borders.js';
import { Reports } from './tasks/reports.js';
import { AGGREGATOR_SETTINGS, type AggregatorSettings } from './settings.js';
import { EnrolledFaces } from './endings/enrolled-faces.js';
import { TopicsHandler } from './topics.handler.js';
import { SearchCatchUp } from './tasks/search-catch-up.js';
import { SearchIndexing } from './tasks/search-indexing.js';
import { Trainings } from './tasks/trainings.js';
import { WaitingFolds } from './folding/waiting-folds.js';

const ADVANCE_PERIOD_MILLISECONDS = 30_000;

/**
 * Folds, schedules, reconciles, and writes exports and reports. Requires the models, database, bus, objects and jobs
 * modules.
 */
@Module({})
export class AggregatorModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(JobAdvance) private readonly jobs: JobAdvance) {}

  static forRoot(modules: ModuleRegistry, settings: AggregatorSettings): DynamicModule {
    return {
      module: AggregatorModule,
      controllers: [TopicsHandler],
      providers: [
        { provide: ModuleRegistry, useValue: modules },
        { provide: AGGREGATOR_SETTINGS, useValue: settings },
        AnalysedChunks,
        ClassEvaluations,
        DatasetErasures,
        DatasetImports,
        DiskUses,
        Exports,
        FaceIndexing,
        { provide: NeighbourSearches, useFactory: () => new NeighbourSearches(settings.indexMemoryBytes) },
        FoldAdvance,
        FilmFrames,
        LiveFrames,
        Folding,
        JobAdvance,
        JobArtifacts,
        JobEndings,
        JobResults,
        JobSummary,
        KeptPictures,
        ModuleFiles,
        OpenFolds,
        ProgressPace,
        ReadyChunks,
        Reconciler,
        RefinedBorders,
        Reports,
        Scheduler,
        SearchCatchUp,
        SearchIndexing,
        Sweeper,
        EnrolledFaces,
        Trainings,
        WaitingFolds,
      ],
      exports: [
        ClassEvaluations,
        DatasetErasures,
        DatasetImports,
        Exports,
        JobAdvance,
        Reconciler,
        Reports,
        SearchCatchUp,
        SearchIndexing,
        Trainings,
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.jobs.advanceAllAlone(), ADVANCE_PERIOD_MILLISECONDS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.jobs.release();
  }
}
