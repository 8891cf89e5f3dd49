import { AditError } from '@adit/contracts';
import { ffmpegInfo, missingConfinement, OpenDocuments, startLauncher, TRIED_FFMPEG, untriedFfmpeg } from '@adit/media';
import { createLogger } from '@adit/runtime';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AudioFiles } from './audio-files.js';
import { ChunkDecoder } from './chunk-decoder.js';
import { ChunkHandler } from './chunk.handler.js';
import { Clips } from './clips.js';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { defaultDecodeMemory, MemoryAdmission } from './memory-admission.js';
import { PictureHandler } from './picture.handler.js';
import { ProbeHandler } from './probe.handler.js';
import { SourceCache } from './source-cache.js';
import { SourceHandler } from './source.handler.js';
import { ThumbnailHandler } from './thumbnail.handler.js';
import { decoderTopics } from './topics.handler.js';
import { WorkFolder } from './work-folder.js';

/** Fetches, probes, plans and decodes. Requires the database, bus, objects and jobs modules. */
@Module({})
export class DecoderModule implements OnModuleInit, OnApplicationShutdown {
  private endLauncher?: () => void;

  static forRoot(config: DecoderConfig, workDirectory: string): DynamicModule {
    return {
      module: DecoderModule,
      controllers: [decoderTopics(config.decoderConcurrency)],
      providers: [
        { provide: DECODER_CONFIG, useValue: config },
        { provide: WORK_DIRECTORY, useValue: workDirectory },
        {
          provide: MemoryAdmission,
          useValue: new MemoryAdmission(config.decodeMemoryBytes ?? defaultDecodeMemory()),
        },
        { provide: OpenDocuments, useValue: new OpenDocuments() },
        SourceCache,
        AudioFiles,
        MediaCatalogue,
        ChunkDecoder,
        SourceHandler,
        ChunkHandler,
        Clips,
        PictureHandler,
        ProbeHandler,
        ThumbnailHandler,
        WorkFolder,
      ],
    };
  }

  constructor(@Inject(WORK_DIRECTORY) private readonly workDirectory: string) {}

  async onModuleInit(): Promise<void> {
    this.endLauncher = await startLauncher(this.workDirectory);
    const log = createLogger('decoder');
    for (const lack of await missingConfinement()) log.warn(lack);
    try {
      const { version } = await ffmpegInfo();
      log.debug(`ffmpeg ${version}; tried: ${TRIED_FFMPEG.join(', ')}`);
      const untried = untriedFfmpeg(version);
      if (untried !== null) log.warn(untried);
    } catch (error) {
      // It may be installed while this process runs.
      log.warn(AditError.from(error).message);
    }
  }

  onApplicationShutdown(): void {
    this.endLauncher?.();
  }
}
