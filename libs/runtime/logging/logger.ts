import { errorCode } from '@adit/contracts';
import { pino } from 'pino';
import type { Level, LevelWithSilent, Logger } from 'pino';
import { currentContext } from './log-context.js';
import { prettyLine } from './pretty-log.js';
import { redact } from './redact.js';

export type { Logger } from 'pino';

interface LogSink {
  /** Takes one whole line, its line end included. */
  write(line: string): void;
}

interface LoggingOptions {
  level?: LevelWithSilent;
  format?: 'json' | 'pretty';
  /** `stderr` leaves standard output to a command's own result; a sink of one's own is for tests. */
  to?: 'stdout' | 'stderr' | LogSink;
}

const levelOf = (name: string | undefined): LevelWithSilent =>
  // `in` does not narrow a string.
  name !== undefined && (name === 'silent' || name in pino.levels.values) ? (name as Level) : 'info';

let level = levelOf(process.env.ADIT_LOG_LEVEL);
let sink: LogSink | undefined;
const named = new Map<string, Logger>();

const root = pino(
  {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: redact },
    serializers: { err: describeError, error: describeError },
    mixin() {
      const { jobId, traceId, requestId } = currentContext();
      return { ...(jobId && { jobId }), ...(traceId && { traceId }), ...(requestId && { requestId }) };
    },
  },
  {
    write(line: string) {
      sink ??= sinkFor({});
      sink.write(line);
    },
  },
);

/** Sets level, format and destination of the loggers that exist and of those to come. Call it once, first in main. */
export function configureLogging(options: LoggingOptions): void {
  sink = sinkFor(options);
  level = options.level ?? level;
  root.level = level;
  for (const logger of named.values()) logger.level = level;
}

/** The logger of one part of Adit, `name` as in `bus` or `inference-face`. The same name gives the same logger. */
export function createLogger(name: string): Logger {
  let logger = named.get(name);
  if (logger === undefined) {
    logger = root.child({ name });
    logger.level = level;
    named.set(name, logger);
  }
  return logger;
}

function sinkFor({ format = 'json', to = 'stdout' }: LoggingOptions): LogSink {
  const terminal = to === 'stdout' ? process.stdout : process.stderr;
  // Synchronous, so that the last lines before a crash are written.
  const target = typeof to === 'object' ? to : pino.destination({ dest: terminal.fd, sync: true });
  if (format === 'json') return target;
  const colours = typeof to !== 'object' && terminal.isTTY === true && process.env.NO_COLOR === undefined;
  return { write: (line) => void target.write(prettyLine(line, colours)) };
}

interface DescribedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

function describeError(error: unknown, depth = 0): DescribedError | unknown {
  if (!(error instanceof Error)) return error;
  const code = errorCode(error);
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code: String(code) }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < 5 && { cause: describeError(error.cause, depth + 1) }),
  };
}
