import { AditError } from '@adit/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { withContext } from './log-context.js';
import { configureLogging, createLogger } from './logger.js';
import { NestLogger } from './nest-logger.js';

const lines: string[] = [];
const to = { write: (line: string) => void lines.push(line) };
const entries = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

beforeEach(() => {
  lines.length = 0;
  configureLogging({ level: 'info', format: 'json', to });
});

describe('logger', () => {
  it('writes one JSON object per line with time, level and name', () => {
    createLogger('part').info({ chunk: 3 }, 'done');
    createLogger('part').debug('not written');
    expect(entries()).toEqual([{ level: 'info', time: expect.any(String), name: 'part', chunk: 3, msg: 'done' }]);
    expect(lines[0]?.endsWith('}\n')).toBe(true);
  });

  it('applies a new level to loggers that exist and to those to come', () => {
    const before = createLogger('before');
    configureLogging({ level: 'warn', to });
    before.info('no');
    createLogger('after').info('no');
    before.warn('yes');
    expect(entries().map(({ msg }) => msg)).toEqual(['yes']);
  });

  it('adds job and trace of the work at hand, through awaits and nested contexts', async () => {
    const logger = createLogger('part');
    await withContext({ jobId: 'job-1' }, async () => {
      await Promise.resolve();
      await withContext({ traceId: 'abc' }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        logger.info('inside');
      });
      logger.info('between');
    });
    logger.info('outside');
    expect(entries().map(({ msg, jobId, traceId }) => [msg, jobId, traceId])).toEqual([
      ['inside', 'job-1', 'abc'],
      ['between', 'job-1', undefined],
      ['outside', undefined, undefined],
    ]);
  });

  it('never writes secrets, at any depth, and leaves object keys readable', () => {
    createLogger('part').info(
      {
        key: 'packs/1',
        apiKey: 'S1',
        request: { headers: { Authorization: 'Key S2', 'set-cookie': ['S3'], accept: '*/*' } },
        hooks: [{ signing_secret: 'S4', url: 'http://x' }],
        accessToken: 'S5',
        user: { password: 'S6', passwordHash: null },
      },
      'hello',
    );
    expect(lines[0]).not.toMatch(/S[1-6]/);
    expect(entries()[0]).toMatchObject({
      key: 'packs/1',
      apiKey: '[redacted]',
      request: { headers: { Authorization: '[redacted]', accept: '*/*' } },
      hooks: [{ signing_secret: '[redacted]', url: 'http://x' }],
      user: { password: '[redacted]', passwordHash: null },
    });
  });

  it('writes errors with their code and causes', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    createLogger('part').error({ err: new AditError('UNAVAILABLE', 'The database is away.', { cause }) }, 'failed');
    expect(entries()[0]?.err).toMatchObject({
      type: 'AditError',
      code: 'UNAVAILABLE',
      message: 'The database is away.',
      stack: expect.stringContaining('logger.spec'),
      cause: { code: 'ECONNREFUSED', message: 'connect' },
    });
  });

  it('survives values that JSON cannot hold', () => {
    const ring: Record<string, unknown> = { n: 1 };
    ring.self = ring;
    createLogger('part').info({ ring, size: 5n }, 'odd');
    expect(entries()[0]).toMatchObject({ msg: 'odd', ring: { n: 1 } });
  });

  it('writes lines for people on demand', () => {
    configureLogging({ level: 'info', format: 'pretty', to });
    createLogger('part').warn({ chunk: 3, err: new Error('broken') }, 'careful');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}WARN {3}part {2}careful {2}chunk=3\n {4}Error: broken\n/);
  });

  it('takes Nest’s own lines', () => {
    configureLogging({ level: 'debug', format: 'json', to });
    const nest = new NestLogger();
    nest.log('Mapped {/v1/jobs}', 'RouterExplorer');
    nest.error(new Error('broken'), 'ExceptionsHandler');
    nest.error('it failed', 'Error: it failed\n    at here', 'Somewhere');
    nest.verbose('no');
    expect(entries()).toMatchObject([
      { name: 'nest', context: 'RouterExplorer', msg: 'Mapped {/v1/jobs}', level: 'debug' },
      { context: 'ExceptionsHandler', msg: 'broken', err: { message: 'broken' }, level: 'error' },
      { context: 'Somewhere', msg: 'it failed', stack: 'Error: it failed\n    at here' },
    ]);
  });
});
