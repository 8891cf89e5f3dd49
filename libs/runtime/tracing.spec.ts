import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, context, trace } from '@opentelemetry/api';
import type { Context, ContextManager } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { currentContext, withContext } from './logging/log-context.js';
import { clientRequest } from './span-names.js';
import { tracer } from './spec-tracer.js';
import {
  childOf,
  currentTraceparent,
  formatTraceparent,
  inTrace,
  newTrace,
  openSpan,
  parseTraceparent,
  withSpan,
} from './tracing.js';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((id) => !/^0+$/.test(id));
const traceContext = fc.record({ traceId: hex(32), spanId: hex(16), sampled: fc.boolean() });

describe('traceparent', () => {
  it('reads back whatever it writes', () => {
    fc.assert(fc.property(traceContext, (it) => expect(parseTraceparent(formatTraceparent(it))).toEqual(it)));
  });

  it('never throws, and what it accepts is well formed', () => {
    const damaged = fc
      .tuple(traceContext, fc.nat(54), fc.string({ maxLength: 3 }))
      .map(([it, at, text]) => formatTraceparent(it).slice(0, at) + text + formatTraceparent(it).slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged), (text) => {
        const parsed = parseTraceparent(text);
        if (parsed === null) return;
        expect(parsed.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
        expect(parsed.spanId).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
        expect(text).toContain(`${parsed.traceId}-${parsed.spanId}`);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['all-zero trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['all-zero span', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
    ['version ff', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'.replace('00', 'ff')],
    ['capitals', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01'],
    ['more than version 00 has', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x'],
    ['nothing', ''],
  ])('refuses %s', (_, header) => expect(parseTraceparent(header)).toBeNull());

  it('reads a later version by its first four fields', () => {
    const header = '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes';
    expect(parseTraceparent(header)).toMatchObject({ spanId: '00f067aa0ba902b7', sampled: true });
  });

  it('makes children in the same trace', () => {
    const parent = newTrace();
    const child = childOf(parent);
    expect(child.traceId).toBe(parent.traceId);
    expect(child.spanId).not.toBe(parent.spanId);
    expect(parseTraceparent(formatTraceparent(child))).toEqual(child);
  });
});

describe('withSpan without an SDK', () => {
  it('goes on in the trace it is given, nests, and leaves nothing behind', async () => {
    const parent = newTrace();
    await withSpan('outer', { parent: formatTraceparent(parent) }, async (outer) => {
      expect(outer).toMatchObject({ traceId: parent.traceId, sampled: true });
      expect(outer.spanId).not.toBe(parent.spanId);
      expect(currentContext().traceId).toBe(parent.traceId);
      expect(currentTraceparent()).toBe(formatTraceparent(outer));
      await withSpan('inner', {}, (inner) => {
        expect(inner.traceId).toBe(parent.traceId);
        expect(inner.spanId).not.toBe(outer.spanId);
      });
      await withSpan('new', { parent: null }, (other) => expect(other.traceId).not.toBe(parent.traceId));
    });
    expect(currentTraceparent()).toBeNull();
  });

  it('goes on in the trace of what it is done for, where it is in none or in that of something else', () => {
    const [ours, other] = [newTrace(), newTrace()];
    expectInTrace(ours);
    withContext({ traceId: other.traceId, traceparent: formatTraceparent(other) }, () => expectInTrace(ours));
    inTrace(null, () => expect(currentTraceparent()).toBeNull());
    inTrace('no traceparent', () => expect(currentTraceparent()).toBeNull());
  });

  it('throws on what its function throws', async () => {
    const failing = withSpan('x', {}, () => {
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
  });
});

describe('withSpan with an SDK', () => {
  afterEach(() => {
    trace.disable();
    context.disable();
  });

  it('uses the ids of the SDK’s spans and ends each of them', async () => {
    const ended: string[] = [];
    context.setGlobalContextManager(contextManager());
    trace.setGlobalTracerProvider({ getTracer: () => tracer(ended) });
    const parent = newTrace();
    await withSpan('outer', { parent: formatTraceparent(parent) }, async (outer) => {
      expect(outer.traceId).toBe(parent.traceId);
      expect(currentTraceparent()).toBe(formatTraceparent(outer));
      await expect(
        withSpan('inner', {}, (inner) => {
          expect(inner.traceId).toBe(parent.traceId);
          throw new Error('broken');
        }),
      ).rejects.toThrow('broken');
    });
    expect(ended).toEqual(['inner: broken', 'outer']);
  });

  it('goes on in the trace of what it is done for, and within a span of it', async () => {
    context.setGlobalContextManager(contextManager());
    trace.setGlobalTracerProvider({ getTracer: () => tracer([]) });
    const ours = newTrace();
    expectInTrace(ours);
    await withSpan('of another', { parent: null }, () => expectInTrace(ours));
    await withSpan('ours', { parent: formatTraceparent(ours) }, (span) => {
      inTrace(formatTraceparent(ours), () => expect(currentTraceparent()).toBe(formatTraceparent(span)));
    });
  });
});

describe('what a span says', () => {
  afterEach(() => {
    trace.disable();
    context.disable();
  });

  /** @hardening api: Traces and metrics break OpenTelemetry's conventions */
  it('a span says which side of a call it is, and whether it failed', async () => {
    const said: string[] = [];
    context.setGlobalContextManager(contextManager());
    trace.setGlobalTracerProvider({ getTracer: () => tracer([], said) });
    for (const role of ['internal', 'server', 'client', 'producer', 'consumer'] as const)
      openSpan(role, { role }).end();
    openSpan('ours').end();
    openSpan('status').failAs('500');
    openSpan('thrown').fail(Object.assign(new Error('no'), { code: 'UNAVAILABLE' }));
    openSpan('class').fail(new TypeError('no'));
    expect(said).toEqual([
      ...['internal: 0', 'server: 1', 'client: 2', 'producer: 3', 'consumer: 4', 'ours: 0'],
      ...['status: 0', 'status: error.type 500', 'status: status 2'],
      ...['thrown: 0', 'thrown: error.type UNAVAILABLE', 'thrown: status 2'],
      ...['class: 0', 'class: error.type TypeError', 'class: status 2'],
    ]);
  });

  it('never holds a secret of an address', () => {
    const url = new URL('https://me:secret@example.org:8443/films/a.mp4?X-Amz-Signature=secret#secret');
    expect(clientRequest('GET', url)).toEqual({
      'http.request.method': 'GET',
      'url.full': 'https://example.org:8443/films/a.mp4',
      'url.scheme': 'https',
      'server.address': 'example.org',
      'server.port': 8443,
    });
    expect(clientRequest('BREW', new URL('http://example.org/'))).toMatchObject({
      'http.request.method': '_OTHER',
      'server.port': 80,
    });
  });
});

/** Logs, messages and spans made for something with the trace `ours`. */
function expectInTrace(ours: ReturnType<typeof newTrace>): void {
  const before = currentContext();
  inTrace(formatTraceparent(ours), () => {
    expect(currentContext().traceId).toBe(ours.traceId);
    expect(currentTraceparent()).toBe(formatTraceparent(ours));
    const span = openSpan('x');
    expect(span.traceId).toBe(ours.traceId);
    span.end();
  });
  expect(currentContext()).toEqual(before);
}

function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (at, fn, self, ...args) => storage.run(at, () => fn.apply(self as never, args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
