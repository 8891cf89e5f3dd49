import { jsonOf } from './request.js';
import type { Problem } from './schema.js';

/** The service refused, or failed: its problem details, as far as it sent any. */
export class AditApiError extends Error {
  override readonly name = 'AditApiError';
  /** A code of the closed list, e.g. `VALIDATION`; `UNKNOWN` for an answer that was not the service's own. */
  readonly code: string;
  readonly errors: Problem['errors'];
  readonly requestId: string | null;

  constructor(
    /** HTTP status. */
    readonly status: number,
    readonly problem: Partial<Problem>,
    /** From `Retry-After`; null without one. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(problem.detail ?? `The service answered ${status}.`);
    this.code = problem.code ?? 'UNKNOWN';
    this.errors = problem.errors ?? [];
    this.requestId = problem.request_id ?? null;
  }

  /** The first request with the same `idempotencyKey` is still at it: nothing is refused yet. */
  get isInProgress(): boolean {
    return this.status === 409 && this.errors.some(({ code }) => code === 'in_progress');
  }

  static async of(reply: Response): Promise<AditApiError> {
    const problem = await jsonOf<Partial<Problem>>(reply).catch(() => ({}));
    return new AditApiError(reply.status, problem, retryAfterOf(reply));
  }
}

/** Nobody answered: no service at the address, or the connection broke. */
export class AditConnectionError extends Error {
  override readonly name = 'AditConnectionError';
}

/** A job had not ended when the time to wait for it was over. It goes on. */
export class AditTimeoutError extends Error {
  override readonly name = 'AditTimeoutError';
}

function retryAfterOf(reply: Response): number | null {
  const text = reply.headers.get('retry-after');
  if (text === null || !/^\d{1,9}$/.test(text)) return null;
  return Number(text);
}
