/** Throws, or takes too long, when the thing it asks is not usable; text that it answers is shown. */
type ReadinessCheck = (signal: AbortSignal) => Promise<unknown> | unknown;

interface CheckResult {
  name: string;
  ok: boolean;
  /** Tells whether readiness depends on it. */
  needed: boolean;
  /** Milliseconds the check took. */
  tookMs: number;
  /** Why it is not usable. */
  reason?: string;
  /** Details of a dependency that is up. */
  detail?: string;
}

export interface HealthReport {
  ok: boolean;
  state: 'starting' | 'running' | 'stopping';
  checks: CheckResult[];
}

interface RegisteredCheck {
  check: ReadinessCheck;
  timeoutMs: number;
}

/** Answers /healthz, /startupz and /readyz. One for the process; several Nest applications in it share it. */
export class Health {
  private readonly checks = new Map<string, RegisteredCheck>();
  private readonly tolerated = new Set<string>();
  private state: HealthReport['state'] = 'starting';

  /** Adds a check, or replaces the one of that name; the returned function takes it away. */
  register(name: string, check: ReadinessCheck, timeoutMs = 2_000): () => void {
    const registered = { check, timeoutMs };
    this.checks.set(name, registered);
    return () => {
      if (this.checks.get(name) === registered) this.checks.delete(name);
    };
  }

  /**
   * Readiness reports these checks and no longer depends on them: most of the process's work goes on without, and the rest
   * says so by itself.
   */
  tolerate(...names: string[]): void {
    for (const name of names) this.tolerated.add(name);
  }

  /** Everything is up: ready from now on, as far as the checks say so. */
  started(): void {
    if (this.state === 'starting') this.state = 'running';
  }

  /** Not ready any more, so that no new work is sent here; alive until the end. */
  stopping(): void {
    this.state = 'stopping';
  }

  /** Tells whether the process works at all. Dependencies don't count: restarting this process would not mend them. */
  livez(): HealthReport {
    return { ok: true, state: this.state, checks: [] };
  }

  /** Tells whether it has started: what it needs in memory is loaded and its handlers listen. Dependencies don't count. */
  startupz(): HealthReport {
    return { ok: this.state !== 'starting', state: this.state, checks: [] };
  }

  /** Tells whether work can be sent here: started, not stopping, and every needed check passes within its time. */
  async readyz(): Promise<HealthReport> {
    const checks = await Promise.all(
      [...this.checks].map(async ([name, registered]) => ({
        ...(await run(name, registered)),
        needed: !this.tolerated.has(name),
      })),
    );
    const ok = this.state === 'running' && checks.every((check) => check.ok || !check.needed);
    return { ok, state: this.state, checks };
  }
}

/** The process's health. */
export const health = new Health();

async function run(name: string, { check, timeoutMs }: RegisteredCheck): Promise<Omit<CheckResult, 'needed'>> {
  const began = performance.now();
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  const took = () => Math.round(performance.now() - began);
  try {
    const answer = await Promise.race([(async () => check(abort.signal))(), late]);
    return { name, ok: true, tookMs: took(), ...(typeof answer === 'string' ? { detail: answer } : {}) };
  } catch (error) {
    return { name, ok: false, tookMs: took(), reason: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}
