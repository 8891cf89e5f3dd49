import { NewTranscripts, TranscriptErasures, TranscriptReader, TranscriptWriter } from '@adit/transcript-store';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { StorageApiModule } from '../storage/storage.module.js';
import { TranscriptsController } from './transcripts.controller.js';

/** Transcripts of jobs, their variants, versions and paragraphs. */
@Module({
  imports: [HttpModule, StorageApiModule],
  controllers: [TranscriptsController],
  providers: [NewTranscripts, TranscriptReader, TranscriptWriter, TranscriptErasures],
  exports: [TranscriptReader],
})
export class TranscriptsApiModule {}
