import { afterAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'adit-lock-'));
const lock = new URL('./lock.mjs', import.meta.url).href;

/** Another process that writes down when it had the lock. */
async function hold(path: string, milliseconds = 300): Promise<{ from: number; to: number; stderr: string }> {
  const script = `
    const { withLock } = await import(${JSON.stringify(lock)});
    await withLock(${JSON.stringify(path)}, async () => {
      const from = Date.now();
      await new Promise((resolve) => setTimeout(resolve, ${milliseconds}));
      console.log(JSON.stringify({ from, to: Date.now() }));
    });`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return { ...(JSON.parse(stdout) as { from: number; to: number }), stderr };
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the set-up lock', () => {
  it('lets one process in at a time and tells the others whom they wait for', async () => {
    const path = join(folder, 'several.lock');
    const holders = (await Promise.all([hold(path), hold(path), hold(path)])).sort((a, b) => a.from - b.from);
    expect(holders[1]!.from).toBeGreaterThanOrEqual(holders[0]!.to);
    expect(holders[2]!.from).toBeGreaterThanOrEqual(holders[1]!.to);
    expect(holders[2]!.stderr).toMatch(/Waiting for the set-up of process \d+/);
  });

  it('is taken over at once from a process that is dead', async () => {
    const path = join(folder, 'dead.lock');
    const { pid } = await new Promise<{ pid: number }>((resolve) => {
      const child = execFile(process.execPath, ['-e', ''], () => resolve({ pid: child.pid! }));
    });
    writeFileSync(path, `${pid} ${hostname()} token`);
    const started = Date.now();
    expect((await hold(path, 1)).from - started).toBeLessThan(5_000);
  });

  it('is taken over from another machine when its heartbeat has stopped', async () => {
    const path = join(folder, 'elsewhere.lock');
    writeFileSync(path, `1 another-host token`);
    const old = new Date(Date.now() - 60_000);
    utimesSync(path, old, old);
    await expect(hold(path, 1)).resolves.toBeDefined();
  });
});
