/** @needs ffmpeg, weights, build, servers, time */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { DetailedResult } from '@adit/contracts';
import { describeWith, sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EngineUnderTest } from '../../../apps/standalone/e2e/engine-under-test.js';
import { manTalking, manTwice, mediaRoots } from '../../../apps/standalone/e2e/films.js';
import { expectSameResults } from '../../../apps/standalone/e2e/same-results.js';
import { speechJob } from '../../../apps/standalone/e2e/speech-job.js';
import { pulledModel } from '../../../libs/analyses/testing/pulled-models.js';
import { SpanCollector, type ReceivedSpan } from './span-collector.js';
import { StackUnderTest } from './stack-under-test.js';

const { groups, kennedy } = sampleMedia();
const speech = await pulledModel('whisper-base');
/** On a CPU a run has one row; with one thread it adds up in one order, so it is repeatable to the byte. */
const REPEATABLE = { ADIT_INFERENCE_THREADS: '1', ADIT_INFERENCE_WORKERS: '1' };
/** Trace id of the request whose trace is inspected. */
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
/** The span of whoever asks. */
const CLIENT_SPAN = '00f067aa0ba902b7';
/** The kind of a span that sends a message, as OTLP numbers it. */
const PRODUCER = 4;
const modules = { face_recognition: { cluster_unknowns: true } };

await describeWith(['kafka', 'postgres', 'minio'], 'the engine as processes', (servers) => {
  let stack: StackUnderTest;
  let embedded: EngineUnderTest;
  let film: string;
  let receiver: Server;
  let collector: SpanCollector;
  const hooks: { event: string; traceparent: string | undefined }[] = [];

  beforeAll(async () => {
    film = await manTwice();
    collector = await SpanCollector.start();
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const { event } = JSON.parse(body) as { event: string };
        hooks.push({ event, traceparent: request.headers['traceparent'] as string | undefined });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const localRoots = [...(await mediaRoots()), dirname(kennedy)];
    const models: Record<string, string> = 'folder' in speech ? { ADIT_MODELS_DIR: speech.folder } : {};
    stack = await StackUnderTest.start(servers, {
      localRoots,
      environment: {
        ...REPEATABLE,
        ADIT_WEBHOOK_ALLOW_HTTP: 'true',
        ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '200',
      },
      // Chaos has the other families, and its long form two decoders.
      counts: { aggregator: 2, 'inference-object': 0, 'inference-text': 0 },
    });
    embedded = await EngineUnderTest.start({ localRoots, env: { ...REPEATABLE, ...models } });
  });
  afterAll(async () => {
    await Promise.all([stack?.close(), embedded?.close(), collector?.close()]);
    await new Promise((resolve) => receiver?.close(resolve) ?? resolve(null));
  });

  const both = async (sources: string[]): Promise<[DetailedResult[], DetailedResult[]]> => {
    const [one, other] = await Promise.all([
      stack.api.mine({ sources, modules }),
      embedded.api.mine({ sources, modules }),
    ]);
    return [await stack.api.segments(one.id), await embedded.api.segments(other.id)];
  };

  it('finds the same in a film as in one process, to the byte', async () => {
    const [found, wanted] = await both([film]);
    expect(found.length).toBeGreaterThan(1);
    expect(found).toEqual(wanted);
  });

  it('finds the same in photos, in the same order', async () => {
    const [found, wanted] = await both([groups['sample1']!, groups['sample3']!, groups['sample5']!]);
    expect(found.length).toBeGreaterThan(8);
    expectSameResults(found, wanted);
    expect(found.map(({ source, meta }) => [source, meta['person']])).toEqual(
      wanted.map(({ source, meta }) => [source, meta['person']]),
    );
  });

  const whyNot = 'reason' in speech ? ` (skipped: ${speech.reason})` : '';
  (whyNot === '' ? it : it.skip)(`hears the same, word for word, up to the exported file${whyNot}`, async () => {
    // Its processes have no folder with the weights: they come out of the repository that they share.
    expect(await stack.cli('model', 'pull', 'whisper-base', '--shared')).toMatch(/in the shared repository, for all/);
    expect(await stack.cli('model', 'pull', 'whisper-base', '--shared')).toMatch(/shared repository already/);
    // The gateway looks for new models every few seconds.
    const order = { sources: [kennedy], modules: { speech_recognition: {} } };
    for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 500))) {
      if ((await stack.api.request('POST', '/jobs/?dry_run=true', order)).ok) break;
    }
    const [found, wanted] = await Promise.all([speechJob(stack.api, kennedy), speechJob(embedded.api, kennedy)]);
    expect(found.segments.length).toBeGreaterThan(0);
    expect([found.segments, found.edited]).toEqual([wanted.segments, wanted.edited]);
    expect(String(found.files.get('jfk.en.srt'))).toBe(String(wanted.files.get('jfk.en.srt')));
  });

  it('shows one trace from the request to the webhook, over all processes', async () => {
    const { port } = receiver.address() as AddressInfo;
    const posted = await stack.api.post(
      {
        sources: [groups['sample2']!],
        modules,
        webhook: { callback: `http://127.0.0.1:${port}/hook`, events: ['job.on_completed'] },
      },
      { traceparent: `00-${traceId}-${CLIENT_SPAN}-01` },
    );
    await stack.api.ended(posted.id);
    const services = ['gateway', 'decoder', 'inference-face', 'aggregator', 'notifier'].map((name) => `adit-${name}`);
    // Relays share the outbox: any process may send a message of the job.
    const all = () => collector.spans.filter((span) => span.traceId === traceId);
    const of = () => all().filter(({ kind }) => kind !== PRODUCER);
    // Each process tells its spans when it gets to it: what others go back to may come last.
    const isWhole = () => {
      const known = new Set([CLIENT_SPAN, ...all().map(({ spanId }) => spanId)]);
      return all().every(({ parentSpanId }) => known.has(parentSpanId ?? CLIENT_SPAN));
    };
    for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
      const sent = of().some(({ service, kind }) => service === 'adit-notifier' && kind === 3);
      if (sent && services.every((name) => of().some(({ service }) => service === name)) && isWhole()) break;
    }
    expect(hooks.map(({ event }) => event)).toEqual(['job.on_completed']);
    expect(hooks[0]!.traceparent).toContain(traceId);
    expect([...new Set(of().map(({ service }) => service))].sort()).toEqual(services.sort());
    expect(stack.lines.some(({ line }) => line.includes(traceId) && line.includes(posted.id))).toBe(true);
  });

  /** @hardening api: Traces and metrics break OpenTelemetry's conventions */
  it('shows in that trace who asked whom for what, as OpenTelemetry names it', () => {
    const spans = new Map(
      collector.spans.filter((span) => span.traceId === traceId).map((span) => [span.spanId, span]),
    );
    const path = (span: ReceivedSpan | undefined): string[] =>
      span === undefined ? [] : [...path(spans.get(span.parentSpanId ?? '')), `${span.kind} ${span.name}`];
    const named = (name: string) => [...spans.values()].find((span) => span.name === name)!;
    // From the request to the request, as the data flows.
    const analysed = path(named('process analyses.faces.requested'));
    expect(analysed[0]).toMatch(/^2 POST \/api\/v1\/jobs\/?$/);
    expect(analysed.slice(-6)).toEqual([
      ...['4 send sources.requested', '5 process sources.requested'],
      ...['4 send chunks.requested', '5 process chunks.requested'],
      ...['4 send analyses.faces.requested', '5 process analyses.faces.requested'],
    ]);
    expect(path(named('POST')).slice(-4)).toEqual([
      // A message, or the aggregator's round over what is underway: that has no span, and goes on from the request.
      expect.stringMatching(/^5 process |^2 POST /),
      '4 send events.raised',
      '1 webhook attempt',
      '3 POST',
    ]);
    expect(named('process chunks.requested').attributes).toMatchObject({
      'messaging.system': 'kafka',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'chunks.requested',
      'messaging.consumer.group.name': 'decoder',
    });
    const { port } = receiver.address() as AddressInfo;
    expect(named('POST').attributes).toMatchObject({
      'http.request.method': 'POST',
      'url.full': `http://127.0.0.1:${port}/hook`,
      'server.port': port,
      'http.response.status_code': 204,
    });
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect(new Set([...spans.values()].map(({ version }) => version))).toEqual(new Set([version]));
  });

  it('answers probes and metrics in every process, and none has died', async () => {
    for (const each of stack.processes.processes) {
      expect([each.name, each.deaths, await each.probe('/healthz'), await each.probe('/startupz')]).toEqual([
        each.name,
        0,
        true,
        true,
      ]);
    }
    expect(await stack.metric('decoder', 'adit_decode_seconds_count')).toBeGreaterThan(0);
    expect(await stack.metric('inference-face', 'adit_model_run_seconds_count')).toBeGreaterThan(0);
    expect(await stack.metric('inference-face', 'adit_model_load_seconds_count')).toBeGreaterThan(0);
    expect(await stack.metric('aggregator', 'adit_chunks_analysed_total')).toBeGreaterThan(0);
    for (const name of ['adit_outbox_age_seconds', 'adit_bus_lag_messages', 'adit_chunks_in_flight']) {
      expect(await stack.metric('aggregator', name)).toBeGreaterThanOrEqual(0);
    }
  });

  it('lets every process finish or hand back its work when asked to end', async () => {
    const job = await stack.api.post({ sources: [await manTalking(30, 30)], modules });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    for (const service of ['inference-face', 'decoder', 'aggregator']) {
      for (const each of stack.processes.of(service)) {
        expect([each.name, await each.stop(300_000)]).toEqual([each.name, true]);
        each.start();
      }
    }
    expect(await stack.api.ended(job.id)).toMatchObject({ state: 'completed', errors: [] });
  });
});
