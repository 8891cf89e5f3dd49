import { createLogger } from '@adit/runtime';
import { logLevel } from 'kafkajs';
import type { logCreator } from 'kafkajs';

const logger = createLogger('kafkajs');

/**
 * kafkajs's own lines. It calls every lost connection and every rebalance an error, several times a second; what of it
 * matters is thrown as well, and the bus says it once. So its errors become `debug` and the rest `trace`.
 */
export const kafkaLog: logCreator =
  () =>
  ({ namespace, level, log: { message, timestamp: _, ...details } }) => {
    const line = { namespace, ...details };
    if (level === logLevel.ERROR || level === logLevel.WARN) logger.debug(line, message);
    else logger.trace(line, message);
  };

/** Lines below it are not even made. */
export function kafkaLogLevel(): logLevel {
  if (logger.isLevelEnabled('trace')) return logLevel.DEBUG;
  return logger.isLevelEnabled('debug') ? logLevel.WARN : logLevel.NOTHING;
}
