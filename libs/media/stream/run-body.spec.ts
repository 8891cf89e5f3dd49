import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunBody } from './run-body.js';

function body(failure: unknown = null): { output: PassThrough; run: RunBody; stopped: () => number } {
  let stops = 0;
  const output = new PassThrough();
  const stop = async (): Promise<void> => {
    stops++;
    await sleep(20);
  };
  return { output, run: new RunBody({ output, failure: () => Promise.resolve(failure), stop }), stopped: () => stops };
}

it('gives everything that arrived before it fails', async () => {
  const { output, run, stopped } = body(new Error('broken'));
  for (let i = 0; i < 100; i++) output.write(Buffer.alloc(10_000));
  output.end();
  let bytes = 0;
  const read = async (): Promise<void> => {
    for await (const piece of run) {
      bytes += (piece as Buffer).length;
      await sleep(1);
    }
  };
  await expect(read()).rejects.toThrow('broken');
  expect([bytes, stopped()]).toEqual([1_000_000, 1]);
});

it('fails where nothing is left to read', async () => {
  const { output, run } = body(new Error('broken'));
  output.end();
  run.resume();
  await expect(once(run, 'end')).rejects.toThrow('broken');
});

it('ends with what it comes from', async () => {
  const { output, run, stopped } = body();
  output.end('all');
  const pieces: Buffer[] = [];
  for await (const piece of run) pieces.push(piece as Buffer);
  expect(Buffer.concat(pieces).toString()).toBe('all');
  expect(stopped()).toBe(1);
});

it('holds its source back while nobody reads', async () => {
  const { output, run } = body();
  const piece = Buffer.alloc(64 << 10);
  for (let i = 0; i < 100; i++) output.write(piece);
  await sleep(50);
  expect(run.readableLength).toBeLessThan(1 << 20);
  expect(output.readableLength + output.writableLength).toBeGreaterThan(4 << 20);
  run.destroy();
});

it('closes once what it comes from has stopped', async () => {
  const { run } = body();
  const began = performance.now();
  run.destroy();
  await once(run, 'close');
  expect(performance.now() - began).toBeGreaterThanOrEqual(15);
});
