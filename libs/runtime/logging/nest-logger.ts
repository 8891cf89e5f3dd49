import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { createLogger } from './logger.js';

/** Contexts in which Nest logs an error that it throws as well: the caller reports why a start failed. */
const THROWN_TOO = new Set<unknown>(['ExceptionHandler', 'NestApplication']);

/** Nest's own lines through Adit's logger: `NestFactory.create(AppModule, { logger: new NestLogger() })`. */
export class NestLogger implements LoggerService {
  /** Tables of routes and modules, at each start of each process: of use to those who look for a fault in them. */
  log(message: unknown, ...rest: unknown[]): void {
    write('debug', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    write(THROWN_TOO.has(rest.at(-1)) ? 'debug' : 'error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    write('trace', message, rest);
  }
}

type Severity = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Nest calls `error(message, stack?, context?)` and `log(message, ...more, context?)`: the last text is the context. */
function write(severity: Severity, message: unknown, rest: unknown[]): void {
  const context = rest.at(-1);
  const hasContext = typeof context === 'string' && !context.includes('\n');
  const logger: Logger = createLogger('nest').child(hasContext ? { context } : {});
  const details = (hasContext ? rest.slice(0, -1) : rest).filter((detail) => detail !== undefined);
  const error = message instanceof Error ? message : details.find((detail) => detail instanceof Error);
  const stack = details.find((detail) => typeof detail === 'string' && detail.includes('\n    at '));
  const fields = {
    ...(error instanceof Error && { err: error }),
    ...(error === undefined && stack !== undefined && { stack }),
  };
  const text = message instanceof Error ? message.message : message;
  if (typeof text === 'string') logger[severity](fields, text);
  else logger[severity]({ ...fields, details: text });
}
