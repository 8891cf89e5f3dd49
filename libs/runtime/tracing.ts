import { randomBytes } from 'node:crypto';
import { errorCode } from '@adit/contracts';
import { SpanKind, SpanStatusCode, context as otelContext, trace } from '@opentelemetry/api';
import type { Attributes, SpanContext } from '@opentelemetry/api';
import { currentContext, withContext } from './logging/log-context.js';

/** W3C trace context (https://www.w3.org/TR/trace-context/). */
interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  spanId: string;
  sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Null for anything that is not a valid traceparent. A version above 00 is read by its first four fields, as the
 * specification asks; ff is no version.
 */
export function parseTraceparent(header: string | null | undefined): TraceContext | null {
  const match = TRACEPARENT.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, version, traceId, spanId, flags, rest] = match;
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** A new trace; our own ids are sampled, so that a collector that is switched on later sees them. */
export function newTrace(): TraceContext {
  return { traceId: randomId(16), spanId: randomId(8), sampled: true };
}

/** A new span of the same trace. */
export function childOf(parent: TraceContext): TraceContext {
  return { ...parent, spanId: randomId(8) };
}

/** The traceparent to send along with messages and requests; null outside of any trace. */
export function currentTraceparent(): string | null {
  const active = trace.getSpanContext(otelContext.active());
  if (active !== undefined && trace.isSpanContextValid(active)) return formatTraceparent(fromOtel(active));
  return currentContext().traceparent ?? null;
}

/** Side of a call or of a message that a span is on, as OpenTelemetry names it. */
type SpanRole = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

const KINDS: Record<SpanRole, SpanKind> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

interface SpanOptions {
  /** `internal` when left out. */
  role?: SpanRole;
  /** A traceparent that came with a request or message; the current one when left out, a new trace when null or invalid. */
  parent?: string | null;
  attributes?: Attributes;
}

/** A span that is ended by hand, for work that begins and ends in different callbacks. */
export interface OpenSpan extends TraceContext {
  /** Runs `fn` within it: logs carry the trace id and `currentTraceparent` gives what to hand on. */
  run<T>(fn: () => T): T;
  /** Later attributes, as far as an SDK wants to know. */
  describe(attributes: Attributes): void;
  /** Says that it failed, by what was thrown. */
  fail(error: unknown): void;
  /** Says that it failed though nothing was thrown; `type` is a word or number that stays the same, as `500`. */
  failAs(type: string): void;
  end(): void;
}

/** Begins an OpenTelemetry span when an SDK is registered, one with ids of our own otherwise. It has to be ended. */
export function openSpan(name: string, options: SpanOptions = {}): OpenSpan {
  const parent = parseTraceparent(options.parent === undefined ? currentTraceparent() : options.parent);
  const base = parent === null ? otelContext.active() : trace.setSpanContext(otelContext.active(), toOtel(parent));
  const root = parent === null && options.parent !== undefined;
  const { attributes, role = 'internal' } = options;
  const span = trace.getTracer('adit').startSpan(name, { attributes, root, kind: KINDS[role] }, base);
  const made = fromOtel(span.spanContext());
  // Without an SDK the API hands back the parent's context, or an invalid one.
  const hasSdk = trace.isSpanContextValid(span.spanContext()) && made.spanId !== parent?.spanId;
  const own = hasSdk ? made : parent === null ? newTrace() : childOf(parent);
  const logged = { traceId: own.traceId, traceparent: formatTraceparent(own) };
  return {
    ...own,
    run: (fn) =>
      hasSdk ? otelContext.with(trace.setSpan(base, span), () => withContext(logged, fn)) : withContext(logged, fn),
    describe: (attributes) => void span.setAttributes(attributes),
    fail: (error) => {
      span.recordException(error instanceof Error ? error : String(error));
      span.setAttribute('error.type', errorType(error));
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    },
    failAs: (type) => {
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}

/** Runs `fn` in a span. What `fn` throws is recorded and thrown on. */
export async function withSpan<T>(
  name: string,
  options: SpanOptions,
  fn: (span: OpenSpan) => T | Promise<T>,
): Promise<T> {
  const span = openSpan(name, options);
  try {
    return await span.run(async () => fn(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Runs `fn` in the trace of what it is done for, where no message or request of that trace brought it: a round over everything
 * that is underway, or a loop that another job's message woke. Makes no span of its own.
 */
export function inTrace<T>(traceparent: string | null, fn: () => T): T {
  const wanted = parseTraceparent(traceparent);
  if (wanted === null || parseTraceparent(currentTraceparent())?.traceId === wanted.traceId) return fn();
  const logged = { traceId: wanted.traceId, traceparent: formatTraceparent(wanted) };
  return otelContext.with(trace.setSpanContext(otelContext.active(), toOtel(wanted)), () => withContext(logged, fn));
}

/** A code of ours where it has one, else the class: few different ones, for a collector to count by. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return errorCode(error) ?? error.name;
}

function fromOtel({ traceId, spanId, traceFlags }: SpanContext): TraceContext {
  return { traceId, spanId, sampled: (traceFlags & 1) === 1 };
}

function toOtel({ traceId, spanId, sampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote: true };
}

/** Random bytes are fetched many at a time: asking for a few costs as much. */
let random = Buffer.alloc(0);

/** All zero is not allowed; it does not happen twice in a row. */
function randomId(bytes: number): string {
  if (random.length < bytes) random = randomBytes(4096);
  const id = random.toString('hex', 0, bytes);
  random = random.subarray(bytes);
  return /^0+$/.test(id) ? randomId(bytes) : id;
}
