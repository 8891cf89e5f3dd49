import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { addressOf, tableOf } from './check.mjs';
import { rowsOf, withRows } from './matrix.mjs';

const run = (args: string[], env: Record<string, string> = {}) => {
  const program = `import { runServers } from './run.mjs'; process.exit(await runServers(${JSON.stringify(args)}));`;
  try {
    const options = { cwd: join(import.meta.dirname), env: { ...process.env, ...env }, encoding: 'utf8' } as const;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { ...options, stdio: 'pipe' });
    return { code: 0, said };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, said: stdout + stderr };
  }
};
const NONE = { KAFKA_BROKERS: '', DATABASE_URL: '', S3_ENDPOINT: '' };

describe('the check of given servers', () => {
  it('asks for one, and says what it does', () => {
    expect(run(['--check'], NONE)).toEqual({
      code: 2,
      said: expect.stringMatching(/at least one server by KAFKA_BROKERS, DATABASE_URL, S3_ENDPOINT/),
    });
    expect(run(['--help']).said).toMatch(/--check.*--matrix/s);
    expect(run(['--matrix', 'Oracle']).code).toBe(2);
  });

  it('ends with 1 for a server that is not there, and names what failed', () => {
    const away = { ...NONE, DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/a', DATABASE_CONNECT_SECONDS: '0' };
    const { code, said } = run(['--check'], away);
    expect(code).toBe(1);
    expect(said).toMatch(/Suite +Server +Passed +Failed +Seconds\ndatabase +127\.0\.0\.1:1 +0 +\d+/);
    expect(said).not.toContain('secret');
  });

  it('shows a row for each suite, and no password', () => {
    const checked = { suite: 'bus', server: 'a:1', passed: 2, failed: 0, seconds: 3, failures: [] };
    expect(tableOf([checked])).toBe('Suite  Server  Passed  Failed  Seconds\nbus    a:1          2       0        3');
    expect(addressOf('postgres://user:secret@host:5/db')).toBe('host:5');
    expect(addressOf('a:9092,b:9092')).toBe('a:9092,b:9092');
  });
});

describe('the table of the servers that were tried', () => {
  const page = (table: string) => `before\n\n<!-- servers: begin -->${table}<!-- servers: end -->\nafter`;

  it('is written into the page and read again', () => {
    const written = withRows(page('\n\n'), ['Kafka 1 | bus | 2 | 0 | 2026-11-29']);
    expect(written).toMatch(
      /^before\n\n<!-- servers: begin -->\n\n\| Server.*\| Kafka 1 \| bus \| 2 \| 0 \| 2026-11-29 \|.*\nafter$/s,
    );
    expect(rowsOf(written)).toEqual([['Kafka 1', 'Kafka 1 | bus | 2 | 0 | 2026-11-29']]);
    expect(rowsOf(withRows(written, []))).toEqual([]);
  });
});
