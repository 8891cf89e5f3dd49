import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { Artifacts } from './artifacts.js';
import { SegmentClips } from './clips.js';
import { Recordings } from './recordings.js';
import { ResultReader } from './result-reader.js';
import { ResultsController } from './results.controller.js';
import { Thumbnails } from './thumbnails.js';

/** Results of a job and its files. */
@Module({
  imports: [HttpModule, JobsApiModule],
  controllers: [ResultsController],
  providers: [Artifacts, Recordings, ResultReader, SegmentClips, Thumbnails],
  exports: [Artifacts, Thumbnails],
})
export class ResultsApiModule {}
