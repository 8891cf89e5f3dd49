import { Handles, type BusContext } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { Controller, Inject, type Type } from '@nestjs/common';
import { ChunkHandler } from './chunk.handler.js';
import { PictureHandler } from './picture.handler.js';
import { ProbeHandler } from './probe.handler.js';
import { SourceHandler } from './source.handler.js';
import { ThumbnailHandler } from './thumbnail.handler.js';

/** Subscriber of the decoder's topics. The class is created with the concurrency, which is a setting. */
export function decoderTopics(concurrency: number): Type {
  @Controller()
  class DecoderTopics {
    constructor(
      @Inject(SourceHandler) private readonly sources: SourceHandler,
      @Inject(ChunkHandler) private readonly chunks: ChunkHandler,
      @Inject(PictureHandler) private readonly pictures: PictureHandler,
      @Inject(ProbeHandler) private readonly probes: ProbeHandler,
      @Inject(ThumbnailHandler) private readonly thumbnails: ThumbnailHandler,
    ) {}

    @Handles('sources.requested', { group: 'decoder', concurrency })
    source(payload: Payload<'sources.requested'>, context: BusContext): Promise<void> {
      return this.sources.open(payload, context);
    }

    @Handles('chunks.requested', { group: 'decoder', concurrency })
    chunk(payload: Payload<'chunks.requested'>, context: BusContext): Promise<void> {
      return this.chunks.decode(payload, context);
    }

    @Handles('pictures.requested', { group: 'decoder', concurrency })
    picture(payload: Payload<'pictures.requested'>, context: BusContext): Promise<void> {
      return this.pictures.fetch(payload, context);
    }

    @Handles('probes.requested', { group: 'decoder', concurrency })
    probe(payload: Payload<'probes.requested'>, context: BusContext): Promise<void> {
      return this.probes.probe(payload, context);
    }

    /** Thumbnails can wait, and never delay a job. */
    @Handles('thumbnails.requested', { group: 'decoder', concurrency: 1 })
    thumbnail(payload: Payload<'thumbnails.requested'>, context: BusContext): Promise<void> {
      return this.thumbnails.make(payload, context);
    }
  }
  return DecoderTopics;
}
