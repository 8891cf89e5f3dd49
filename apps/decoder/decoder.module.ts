import { missingConfinement } from '@adit/media';
import { createLogger } from '@adit/runtime';
import { Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { AudioFiles } from './audio-files.js';
import { ChunkDecoder } from './chunk-decoder.js';
import { ChunkHandler } from './chunk.handler.js';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { defaultDecodeMemory, MemoryAdmission } from './memory-admission.js';
import { ProbeHandler } from './probe.handler.js';
import { SourceCache } from './source-cache.js';
import { SourceHandler } from './source.handler.js';
import { ThumbnailHandler } from './thumbnail.handler.js';
import { decoderTopics } from './topics.handler.js';

/** Fetches, probes, plans and decodes. Stands on the database, bus, objects and jobs modules. */
@Module({})
export class DecoderModule implements OnApplicationBootstrap {
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
        SourceCache,
        AudioFiles,
        MediaCatalogue,
        ChunkDecoder,
        SourceHandler,
        ChunkHandler,
        ProbeHandler,
        ThumbnailHandler,
      ],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    const log = createLogger('decoder');
    for (const lack of await missingConfinement()) log.warn(lack);
  }
}
