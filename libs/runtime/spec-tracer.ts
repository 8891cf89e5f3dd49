import { context, trace } from '@opentelemetry/api';
import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { newTrace } from './tracing.js';

/**
 * The smallest SDK, for specs. Spans have ids of their own under the parent's trace; `said` collects the calls on each.
 */
export function tracer(ended: string[], said: string[] = []): Tracer {
  const startSpan = (name: string, options: SpanOptions = {}, at: Context = context.active()): Span => {
    said.push(`${name}: ${options.kind}`);
    const parent = options.root === true ? undefined : trace.getSpanContext(at);
    const made = { ...newTrace(), ...(parent && { traceId: parent.traceId }) };
    let failure = '';
    const span: Partial<Span> = {
      spanContext: () => ({ traceId: made.traceId, spanId: made.spanId, traceFlags: 1 }),
      recordException: (error) => void (failure = `: ${(error as Error).message}`),
      setAttribute: (key, value) => (said.push(`${name}: ${key} ${String(value)}`), span as Span),
      setAttributes: () => span as Span,
      setStatus: ({ code }) => (said.push(`${name}: status ${code}`), span as Span),
      end: () => void ended.push(name + failure),
    };
    return span as Span;
  };
  return { startSpan, startActiveSpan: () => undefined as never };
}

/** Records all spans of this process for specs, one line for each call on one, until `stop`. */
export function recordSpans(): { said: string[]; stop: () => void } {
  const said: string[] = [];
  trace.setGlobalTracerProvider({ getTracer: () => tracer([], said) });
  return { said, stop: () => trace.disable() };
}
