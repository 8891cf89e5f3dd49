import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, MESSAGE_VERSION } from '@adit/contracts';
import type { Payload } from '@adit/contracts';
import {
  configureLogging,
  createLogger,
  currentTraceparent,
  formatTraceparent,
  metricsPage,
  newTrace,
  withContext,
} from '@adit/runtime';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Module, Scope } from '@nestjs/common';
import type { INestMicroservice, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { BusContext } from './bus-context.js';
import { BusServer } from './bus-server.js';
import { BusModule } from './bus.module.js';
import { within } from './testing/within.js';
import type { DeadLetter } from './dead-letter.js';
import { DEFAULT_DELIVERY_POLICY } from './retry-delay.js';
import { Handles } from './handles.js';
import { BUS } from './port.js';
import type { Bus, OutgoingMessage } from './port.js';

const lines: Record<string, unknown>[] = [];
configureLogging({ level: 'info', to: { write: (line) => void lines.push(JSON.parse(line)) } });

const seen: string[] = [];
const traces: (string | null)[] = [];
const letters: DeadLetter[] = [];
let release: (() => void) | null = null;

@Controller()
class DecoderHandlers {
  @Handles('chunks.requested', { group: 'decoder', concurrency: 2 })
  async decode(payload: Payload<'chunks.requested'>, context: BusContext): Promise<void> {
    seen.push(`decoder ${payload.chunkId} ${context.key} ${context.delivery}`);
    traces.push(currentTraceparent());
    createLogger('decoder').info('decoding');
    if (payload.chunkId === 'flaky' && context.delivery === 1) throw new AditError('UNAVAILABLE', 'the store is away');
    if (payload.chunkId === 'broken') throw new AditError('MEDIA_INVALID', 'The film is empty.');
    if (payload.chunkId === 'bug') throw new TypeError('x is not a function');
    if (payload.chunkId === 'slow') await new Promise<void>((resolve) => (release = resolve));
  }
}

@Controller()
class WatcherHandlers {
  @Handles('chunks.requested', { group: 'watcher' })
  watch({ chunkId }: Payload<'chunks.requested'>): void {
    seen.push(`watcher ${chunkId}`);
  }

  @Handles('chunks.requested.dead-letters', { group: 'watcher' })
  bury(letter: DeadLetter): void {
    letters.push(letter);
  }
}

@Controller({ scope: Scope.REQUEST })
class ScopedHandlers {
  @Handles('jobs.submitted', { group: 'scheduler' })
  async schedule(_: Payload<'jobs.submitted'>, { envelope, delivery }: BusContext): Promise<void> {
    seen.push(`scheduler ${envelope.jobId} ${delivery}`);
    if (delivery === 1) throw new AditError('UNAVAILABLE', 'not yet');
  }
}

const bus = BusModule.forRoot({ busDriver: 'in-process', inProcess: { delivery: { baseMs: 1, maxMs: 5 } } });

@Module({ imports: [bus], controllers: [DecoderHandlers, ScopedHandlers] })
class DecoderModule {}

@Module({ imports: [bus, DecoderModule], controllers: [WatcherHandlers] })
class AllModule {}

@Controller()
class RivalHandlers {
  @Handles('chunks.requested', { group: 'decoder' })
  decode(): void {
    seen.push('rival');
  }
}

@Module({ imports: [DecoderModule], controllers: [RivalHandlers] })
class RivalModule {}

const chunk = (chunkId: string, traceparent: string | null = null): OutgoingMessage<'chunks.requested'> => ({
  topic: 'chunks.requested',
  key: 'source-1',
  envelope: { id: chunkId, jobId: 'job-7', traceparent, attempt: 1, occurredAt: 'now', payload: { chunkId } },
});

const microservice: AsyncMicroserviceOptions = {
  inject: [BUS],
  useFactory: (theBus: Bus) => ({ strategy: new BusServer(theBus) }),
};

describe('BusServer', () => {
  let app: INestMicroservice | undefined;
  const start = async (module: Type = AllModule) => {
    app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, { ...microservice, logger: false });
    await app.listen();
    return app.get<Bus>(BUS);
  };
  afterEach(async () => {
    await app?.close();
    app = undefined;
    release = null;
    for (const list of [seen, traces, letters, lines]) list.length = 0;
  });

  it('gives each group its own delivery, with the parsed payload and the context', async () => {
    const theBus = await start();
    await theBus.publish([chunk('c1'), chunk('c2')]);
    await within(60_000, async () => {
      expect(seen.filter((line) => line.startsWith('decoder'))).toEqual([
        'decoder c1 source-1 1',
        'decoder c2 source-1 1',
      ]);
      expect(seen.filter((line) => line.startsWith('watcher'))).toEqual(['watcher c1', 'watcher c2']);
    });
  });

  it('delivers again to the group that failed and to no other', async () => {
    const theBus = await start();
    await theBus.publish([chunk('flaky')]);
    await within(60_000, async () => {
      expect([...seen].sort()).toEqual(['decoder flaky source-1 1', 'decoder flaky source-1 2', 'watcher flaky']);
    });
  });

  it('hands the bus exactly what the handler threw', async () => {
    const theBus = await start();
    await theBus.publish([chunk('broken'), chunk('bug')]);
    await within(60_000, async () => {
      expect(letters).toMatchObject([
        { reason: { code: 'MEDIA_INVALID', message: 'The film is empty.', group: 'decoder', deliveries: 1 } },
        { reason: { code: 'INTERNAL', message: 'x is not a function', deliveries: 3 }, payload: { chunkId: 'bug' } },
      ]);
    });
  });

  /** @hardening jobs: A build cannot read messages and rows of the next one */
  it('lets a message of a later version wait, however often it is given', async () => {
    const theBus = await start();
    const message = chunk('later');
    message.envelope.version = MESSAGE_VERSION + 1;
    await theBus.publish([message]);
    await within(60_000, async () => {
      const again = lines.filter(({ msg }) => msg === 'A message failed and will be delivered again');
      expect(again.length).toBeGreaterThan(2 * DEFAULT_DELIVERY_POLICY.maxDeliveries);
    });
    expect([...seen, ...letters]).toEqual([]);
  });

  it('serves request-scoped controllers, failures included', async () => {
    const theBus = await start();
    const { envelope } = chunk('x');
    await theBus.publish([{ topic: 'jobs.submitted', key: 'w', envelope: { ...envelope, payload: {} } }]);
    await within(60_000, async () => {
      expect(seen).toEqual(['scheduler job-7 1', 'scheduler job-7 2']);
    });
  });

  it('goes on in the trace of the message and logs with its job', async () => {
    const theBus = await start();
    const trace = newTrace();
    await theBus.publish([chunk('c1', formatTraceparent(trace)), chunk('c2', 'nonsense')]);
    await within(60_000, async () => {
      expect(traces[0]).toMatch(new RegExp(`^00-${trace.traceId}-(?!${trace.spanId})[0-9a-f]{16}-01$`));
      expect(traces[1]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      expect(lines.filter(({ name }) => name === 'decoder')[0]).toMatchObject({
        msg: 'decoding',
        jobId: 'job-7',
        traceId: trace.traceId,
      });
    });
  });

  it('does not work in the context of who happened to publish', async () => {
    const theBus = await start();
    // Work that was due already would hide whose context a message is handled in.
    await sleep(10);
    await withContext({ requestId: 'request-1', jobId: 'job-of-the-publisher' }, () => theBus.publish([chunk('c1')]));
    await within(60_000, () => {
      const [line] = lines.filter(({ name }) => name === 'decoder');
      expect(line).toMatchObject({ jobId: 'job-7' });
      expect(line).not.toHaveProperty('requestId');
    });
  });

  it('counts what was handled, failed and given up, and the lag', async () => {
    const before = await sample('adit_bus_messages_handled_total', 'group="decoder"');
    const theBus = await start();
    await theBus.publish([chunk('c1'), chunk('broken'), chunk('slow'), chunk('c2')]);
    await within(60_000, async () => {
      expect((await sample('adit_bus_messages_handled_total', 'group="decoder"')) - before).toBe(1);
      expect(await sample('adit_bus_messages_failed_total', 'code="MEDIA_INVALID"')).toBeGreaterThan(0);
      expect(await sample('adit_bus_dead_letters_total', 'code="MEDIA_INVALID"')).toBeGreaterThan(0);
      expect(await sample('adit_bus_lag_messages', 'group="decoder"')).toBe(2);
      expect(await sample('adit_bus_handling_seconds_count', 'group="decoder"')).toBeGreaterThan(1);
    });
    release?.();
  });

  it('waits for running handlers when the app closes, and closes the bus last', async () => {
    const theBus = await start();
    await theBus.publish([chunk('slow')]);
    await within(60_000, () => expect(release).not.toBeNull());
    let closed = false;
    const closing = app?.close().then(() => (closed = true));
    await sleep(20);
    expect(closed).toBe(false);
    await theBus.ping();
    release?.();
    await closing;
    await expect(theBus.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('serves a hybrid application beside its HTTP side', async () => {
    const hybrid = await NestFactory.create(AllModule, new FastifyAdapter(), { logger: false });
    const theBus = hybrid.get<Bus>(BUS);
    hybrid.connectMicroservice({ strategy: new BusServer(theBus) });
    await hybrid.startAllMicroservices();
    await theBus.publish([chunk('broken')]);
    await within(60_000, () => expect(letters).toMatchObject([{ reason: { code: 'MEDIA_INVALID' } }]));
    await hybrid.close();
    await expect(theBus.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('shares one bus among the applications of a process', async () => {
    const theBus = await start(DecoderModule);
    const other = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(DecoderModule, {
      ...microservice,
      logger: false,
    });
    expect(other.get(BUS)).toBe(theBus);
    await other.close();
    await theBus.ping();
  });

  it('refuses two handlers of one topic and group', async () => {
    await expect(start(RivalModule)).rejects.toThrow('Two handlers read chunks.requested as the group decoder');
  });
});

/** Sum of a metric's samples whose labels contain `labels`. */
async function sample(name: string, labels: string): Promise<number> {
  const { body } = await metricsPage();
  return body
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && line.includes(labels) && line.includes('topic="chunks.requested"'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
