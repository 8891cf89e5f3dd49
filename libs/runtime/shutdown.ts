import { health, type Health } from './health.js';
import { createLogger } from './logging/logger.js';

const logger = createLogger('shutdown');

/** The order in which a process lets go; lower numbers first, equal ones together. */
export const SHUTDOWN_PRIORITY = {
  /** Stop taking requests and messages. */
  intake: 10,
  /** Let running work end. */
  work: 20,
  /** Close what the work stood on: bus, database, objects, models. */
  drivers: 30,
} as const;

interface ShutdownOptions {
  /** Seconds that all steps together may take. */
  graceSeconds: number;
  /** Source of SIGTERM and SIGINT; a parameter, like `exit`, so that a test outlives them. */
  signals?: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
  exit?: (code: number) => void;
}

interface Step {
  name: string;
  priority: number;
  run: () => unknown;
}

/** An ordered end for one process, whatever number of applications runs in it. */
export class Shutdown {
  private steps: Step[] = [];
  private ending: Promise<boolean> | null = null;
  private readonly unfinished = new Set<string>();

  /** `health` is told, so that no new work comes. */
  constructor(private readonly health: Pick<Health, 'stopping'>) {}

  /** Adds a step; the returned function takes it away again. */
  onShutdown(name: string, priority: number, run: () => unknown): () => void {
    const step = { name, priority, run };
    this.steps.push(step);
    return () => {
      this.steps = this.steps.filter((other) => other !== step);
    };
  }

  /**
   * Runs every step once, in order; a step that throws is logged and the next one runs. Resolves with whether all ended
   * well in time. Later calls wait for the first one.
   */
  run(reason: string, graceSeconds: number): Promise<boolean> {
    return (this.ending ??= this.end(reason, graceSeconds));
  }

  /**
   * Ends the process on SIGTERM and SIGINT: exit code 0 when all steps ended well in time, else 1. A second signal exits
   * at once with 130. The returned function takes the listeners away.
   */
  listen({ graceSeconds, signals = process, exit = process.exit }: ShutdownOptions): () => void {
    let signalled = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (signalled) {
        logger.warn({ signal }, 'A second signal: ending at once');
        exit(130);
        return;
      }
      signalled = true;
      void this.run(signal, graceSeconds).then((well) => exit(well ? 0 : 1));
    };
    for (const signal of ['SIGTERM', 'SIGINT']) signals.on(signal, onSignal);
    return () => {
      for (const signal of ['SIGTERM', 'SIGINT']) signals.off(signal, onSignal);
    };
  }

  private async end(reason: string, graceSeconds: number): Promise<boolean> {
    logger.info({ reason, graceSeconds }, 'Shutting down');
    this.health.stopping();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        logger.error({ waitingFor: [...this.unfinished] }, 'Shutting down took too long');
        resolve(false);
      }, graceSeconds * 1000);
    });
    try {
      return await Promise.race([this.runSteps(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async runSteps(): Promise<boolean> {
    let well = true;
    const runStep = async ({ name, run }: Step) => {
      this.unfinished.add(name);
      try {
        await run();
      } catch (error) {
        well = false;
        logger.error({ err: error, step: name }, 'A step of the shutdown failed');
      }
      this.unfinished.delete(name);
    };
    const priorities = [...new Set(this.steps.map((step) => step.priority))].sort((a, b) => a - b);
    for (const priority of priorities) {
      await Promise.all(this.steps.filter((step) => step.priority === priority).map(runStep));
    }
    return well;
  }
}

/** The process's shutdown. */
export const shutdown = new Shutdown(health);

/** Adds a step to the process's shutdown. */
export function onShutdown(name: string, priority: number, run: () => unknown): () => void {
  return shutdown.onShutdown(name, priority, run);
}
