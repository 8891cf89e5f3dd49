import { afterAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const folder = mkdtempSync(join(tmpdir(), 'adit-lock-'));
const lock = new URL('./lock.mjs', import.meta.url).href;

interface Holder {
  /** When it had the lock; it gives it back when `release` was called. */
  held: Promise<{ from: number; to: number }>;
  /** Resolves when it says that it waits for somebody. */
  waits: Promise<string>;
  /** Resolves when it has the lock. */
  has: Promise<void>;
  release(): void;
}

/** Another process that takes the lock, and writes down when it had it. */
function hold(path: string): Holder {
  const script = `
    const { withLock } = await import(${JSON.stringify(lock)});
    await withLock(${JSON.stringify(path)}, async () => {
      const from = Date.now();
      console.log('held');
      await new Promise((resolve) => process.stdin.once('end', resolve).resume());
      console.log(JSON.stringify({ from, to: Date.now() }));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => createInterface({ input: stream }));
  const lines: string[] = [];
  const has = new Promise<void>((resolve) => stdout!.on('line', (line) => resolve(void lines.push(line))));
  const waits = new Promise<string>((resolve) =>
    stderr!.on('line', (line) => line.startsWith('Waiting') && resolve(line)),
  );
  const held = new Promise<{ from: number; to: number }>((resolve) => {
    child.once('close', () => resolve(JSON.parse(lines.at(-1) ?? 'null') as { from: number; to: number }));
  });
  return { held, waits, has, release: () => child.stdin.end() };
}

async function heldAtOnce(path: string): Promise<{ from: number; to: number }> {
  const holder = hold(path);
  holder.release();
  return holder.held;
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the set-up lock', () => {
  it('lets one process in at a time and tells the others whom they wait for', async () => {
    const path = join(folder, 'several.lock');
    const first = hold(path);
    await first.has;
    const others = [hold(path), hold(path)];
    for (const other of others) {
      expect(await other.waits).toMatch(/^Waiting for the set-up of process \d+ to finish …$/);
      other.release();
    }
    first.release();
    const holders = (await Promise.all([first, ...others].map(({ held }) => held))).sort((a, b) => a.from - b.from);
    expect(holders[1]!.from).toBeGreaterThanOrEqual(holders[0]!.to);
    expect(holders[2]!.from).toBeGreaterThanOrEqual(holders[1]!.to);
  });

  /** @hardening setup: The lock of the set-up names the wrong process under load */
  it('names nobody before its holder has said who it is', async () => {
    const path = join(folder, 'unsaid.lock');
    writeFileSync(path, '');
    const waiter = hold(path);
    waiter.release();
    await sleep(1_000);
    writeFileSync(path, `${process.pid} ${hostname()} token`);
    expect(await waiter.waits).toContain(`process ${process.pid} to finish`);
    rmSync(path);
    await waiter.held;
  });

  it('is taken over from a process that is dead, before its heartbeat is missed', async () => {
    const path = join(folder, 'dead.lock');
    const { pid } = await new Promise<{ pid: number }>((resolve) => {
      const child = execFile(process.execPath, ['-e', ''], () => resolve({ pid: child.pid! }));
    });
    writeFileSync(path, `${pid} ${hostname()} token`);
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(path, later, later);
    await expect(heldAtOnce(path)).resolves.toMatchObject({ from: expect.any(Number) });
  });

  it('is taken over by one of those who find that its holder is dead', async () => {
    const path = join(folder, 'contended.lock');
    const dead = `${2 ** 22 + 1} ${hostname()} token`;
    writeFileSync(path, dead);
    // Another process has found it before, and is about to remove it.
    const right = `${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 16)}`;
    writeFileSync(right, `${process.pid} ${hostname()} token`);
    const later = hold(path);
    await later.waits;
    expect(readFileSync(path, 'utf8')).toBe(dead);
    // It has done so, and has the lock itself.
    writeFileSync(path, `${process.pid} ${hostname()} token`);
    rmSync(right);
    later.release();
    await sleep(1_000);
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid} ${hostname()} token`);
    rmSync(path);
    await expect(later.held).resolves.toMatchObject({ from: expect.any(Number) });
  });

  it('is taken over from another machine when its heartbeat has stopped', async () => {
    const path = join(folder, 'elsewhere.lock');
    writeFileSync(path, `1 another-host token`);
    const old = new Date(Date.now() - 60_000);
    utimesSync(path, old, old);
    await expect(heldAtOnce(path)).resolves.toMatchObject({ from: expect.any(Number) });
  });
});
