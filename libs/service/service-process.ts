import { AditError } from '@adit/contracts';
import {
  collectBuildInfo,
  collectProcessMetrics,
  configureLogging,
  createLogger,
  loadConfig,
  onShutdown,
  shutdown,
  SHUTDOWN_PRIORITY,
  type BaseConfig,
} from '@adit/runtime';
import type { z } from 'zod';
import { startTelemetry } from './telemetry.js';

/**
 * Runs a process of Adit around its work: reads its settings, sets up logs, traces and process metrics, ends in order
 * on SIGTERM and SIGINT, and says in one line why it could not start.
 */
export async function serviceProcess<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  start: (config: z.output<Schema> & BaseConfig) => Promise<void>,
): Promise<void> {
  try {
    // The schema parses to this type; the compiler does not add up its parts.
    const config = loadConfig(schema) as z.output<Schema> & BaseConfig;
    configureLogging({ level: config.logLevel, format: config.logFormat });
    collectProcessMetrics();
    collectBuildInfo(name);
    // Last of all: the spans of the shutdown itself are wanted too.
    onShutdown('telemetry', SHUTDOWN_PRIORITY.drivers, await startTelemetry(name));
    shutdown.listen({ graceSeconds: config.shutdownGraceSeconds });
    await start(config);
  } catch (error) {
    const problem = AditError.from(error);
    const log = createLogger(name);
    // Faults that an operator can mend are logged as a sentence; only internal ones have a stack.
    if (problem.code === 'INTERNAL') log.fatal({ err: error }, 'could not start');
    else log.fatal({ code: problem.code }, problem.message);
    await shutdown.run('could not start', 5);
    process.exit(1);
  }
}
