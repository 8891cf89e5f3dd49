/** @needs ffmpeg */
import 'reflect-metadata';
import { setImmediate } from 'node:timers/promises';
import { BusServer, InProcessBus } from '@adit/bus';
import { loadConfig } from '@adit/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from '@jest/globals';
import { ChunkHandler } from './chunk.handler.js';
import { DecoderConfig } from './config.js';
import { PictureHandler } from './picture.handler.js';
import { ProbeHandler } from './probe.handler.js';
import { SourceHandler } from './source.handler.js';
import { ThumbnailHandler } from './thumbnail.handler.js';
import { decoderTopics } from './topics.handler.js';

const MESSAGES = 40;

/** Returns the most chunks processed concurrently, of many that arrive at once. */
async function maxConcurrency(environment: Record<string, string>): Promise<number> {
  const { decoderConcurrency } = loadConfig(DecoderConfig, environment);
  let running = 0;
  let most = 0;
  let left = MESSAGES;
  let allDone = (): void => undefined;
  const done = new Promise<void>((resolve) => (allDone = resolve));
  const decode = async (): Promise<void> => {
    most = Math.max(most, ++running);
    // Lets everything else begin that may.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    running -= 1;
    if (--left === 0) allDone();
  };
  @Module({
    controllers: [decoderTopics(decoderConcurrency)],
    providers: [
      { provide: ChunkHandler, useValue: { decode } },
      ...[SourceHandler, PictureHandler, ProbeHandler, ThumbnailHandler].map((provide) => ({ provide, useValue: {} })),
    ],
  })
  class Decoder {}
  const bus = new InProcessBus();
  const app = await NestFactory.createMicroservice(Decoder, { strategy: new BusServer(bus), logger: false });
  await app.listen();
  const envelope = { jobId: 'job', traceparent: null, attempt: 1, occurredAt: 'now' };
  await bus.publish(
    Array.from({ length: MESSAGES }, (_, at) => ({
      topic: 'chunks.requested' as const,
      key: `source-${at}`,
      envelope: { ...envelope, id: `${at}`, payload: { chunkId: `${at}` } },
    })),
  );
  await done;
  await app.close();
  await bus.close();
  return most;
}

describe('ADIT_DECODER_CONCURRENCY', () => {
  it.each([
    [{}, 2],
    [{ ADIT_DECODER_CONCURRENCY: '1' }, 1],
    [{ ADIT_DECODER_CONCURRENCY: '5' }, 5],
  ])('%j limits the chunks decoded concurrently to %i', async (environment, most) => {
    expect(await maxConcurrency(environment)).toBe(most);
  });
});
