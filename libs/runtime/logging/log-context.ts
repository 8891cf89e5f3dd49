import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of every log line and every outgoing message of the current work. */
interface LogContext {
  jobId?: string;
  /** W3C trace id, 32 hex digits. */
  traceId?: string;
  /** The whole W3C header value, handed on with messages. */
  traceparent?: string;
  requestId?: string;
  /**
   * Values that a library has travel along, never logged. A second AsyncLocalStorage would cost every promise as much
   * again.
   */
  [slot: symbol]: unknown;
}

const storage = new AsyncLocalStorage<LogContext>();

/** Runs `fn`, and all that it awaits, with `fields` added to the context it was called in. */
export function withContext<T>(fields: LogContext, fn: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, fn);
}

export function currentContext(): LogContext {
  return storage.getStore() ?? {};
}
