import { Module, type DynamicModule } from '@nestjs/common';
import { ChunkDecoder } from './chunk-decoder.js';
import { ChunkHandler } from './chunk.handler.js';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { SourceCache } from './source-cache.js';
import { SourceHandler } from './source.handler.js';
import { ThumbnailHandler } from './thumbnail.handler.js';

/** Fetches, probes, plans and decodes. Stands on the database, bus, objects and jobs modules. */
@Module({})
export class DecoderModule {
  static forRoot(config: DecoderConfig, workDirectory: string): DynamicModule {
    return {
      module: DecoderModule,
      controllers: [SourceHandler, ChunkHandler, ThumbnailHandler],
      providers: [
        { provide: DECODER_CONFIG, useValue: config },
        { provide: WORK_DIRECTORY, useValue: workDirectory },
        SourceCache,
        MediaCatalogue,
        ChunkDecoder,
      ],
    };
  }
}
