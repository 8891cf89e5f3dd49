import { AditError, type InputKind, type ModelPin } from '@adit/contracts';
import type { AnalysisContext, AnalysisDefinition, AnalysisIdentity, AnalysisInput } from './analysis.js';
import type { ModelRepository } from '../repository/model-repository.js';
import { identityOf, modelsOf } from './registry.js';
import type { NetworkSession } from '../session.js';
import { withModelTime, type ModelSeconds } from '../sessions/model-time.js';
import type { Lease, SessionPool } from '../sessions/session-pool.js';
import { watchedInput, type OnProgress } from './watched-packs.js';

export interface AnalysisRun {
  analysis: AnalysisDefinition;
  /** Validated by the analysis's schema; defaults are filled in. */
  args: unknown;
  input: AnalysisInput<InputKind>;
  keepPicture: AnalysisContext<unknown>['keepPicture'];
  signal?: AbortSignal;
  /** Receives the part of the unit that was read. */
  onProgress?: OnProgress;
  /** Receives each network that it runs, before the first run. */
  onNetwork?: (network: NetworkSession) => void;
  /** Sums that the seconds of its models are added to. */
  spent?: ModelSeconds;
  /** Versions pinned by a job; the installed defaults when omitted. */
  models?: ModelPin[];
}

/** Runs analyses in this process, with the repository's models on the pool's sessions. */
export class AnalysisRunner {
  constructor(
    private readonly repository: ModelRepository,
    private readonly pool: SessionPool,
  ) {}

  /**
   * Returns the identity of a run of `analysis` with these arguments: arguments with defaults, input specs, and the
   * given pins or the installed models. Throws VALIDATION for wrong arguments, MODEL_NOT_INSTALLED for a missing model.
   */
  identify(analysis: AnalysisDefinition, args: unknown, models: readonly ModelPin[] = []): AnalysisIdentity {
    const parsed = parseArguments(analysis, args);
    const pins = modelsOf(analysis, parsed).map(
      (name) => models.find((pin) => pin.name === name) ?? this.repository.resolve(name).pin,
    );
    return identityOf(analysis, parsed, pins);
  }

  /**
   * Analyses one unit and validates the observations. Throws the analysis's errors, INTERNAL for observations that
   * violate the schema, and the signal's reason when aborted.
   */
  async run({
    analysis,
    args,
    input,
    keepPicture,
    signal,
    models,
    onProgress,
    onNetwork,
    spent,
  }: AnalysisRun): Promise<unknown> {
    const parsed = parseArguments(analysis, args);
    const abort = signal ?? new AbortController().signal;
    abort.throwIfAborted();
    const leases: Lease[] = [];
    try {
      const networks: Record<string, NetworkSession> = {};
      for (const name of modelsOf(analysis, parsed)) {
        const pin = models?.find((candidate) => candidate.name === name);
        const model = pin ? await this.repository.pinned(pin.digest) : this.repository.resolve(name);
        const lease = await this.pool.acquire(model, pin?.precision);
        leases.push(lease);
        networks[name] = lease.network;
        onNetwork?.(lease.network);
      }
      const seen = onProgress === undefined ? input : watchedInput(input, onProgress);
      const analyse = () => analysis.analyse(seen, { args: parsed, networks, keepPicture, signal: abort });
      const observations = await (spent === undefined ? analyse() : withModelTime(spent, async () => analyse()));
      const checked = analysis.observations.safeParse(observations);
      if (checked.success) return checked.data;
      const [issue] = checked.error.issues;
      throw new AditError(
        'INTERNAL',
        `Analysis ${analysis.name} wrote ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}.`,
      );
    } finally {
      for (const lease of leases) lease.release();
    }
  }
}

function parseArguments(analysis: AnalysisDefinition, args: unknown): unknown {
  const parsed = analysis.args.safeParse(args);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => ({
    pointer: `/${issue.path.join('/')}`,
    code: issue.code,
    message: issue.message,
  }));
  throw new AditError(
    'VALIDATION',
    `Arguments of ${analysis.name}: ${errors.map((error) => `${error.pointer} ${error.message}`).join('; ')}.`,
    { errors },
  );
}
