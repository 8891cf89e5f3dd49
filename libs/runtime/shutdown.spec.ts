import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Health } from './health.js';
import { configureLogging } from './logging/logger.js';
import { SHUTDOWN_PRIORITY, Shutdown } from './shutdown.js';

configureLogging({ level: 'silent' });

describe('Shutdown', () => {
  it('runs the steps in order, equal ones together, once', async () => {
    const shutdown = new Shutdown(new Health());
    const order: string[] = [];
    const step = (name: string, ms: number) => async () => {
      order.push(`${name} begins`);
      await sleep(ms);
      order.push(`${name} ends`);
    };
    shutdown.onShutdown('database', SHUTDOWN_PRIORITY.drivers, step('database', 0));
    shutdown.onShutdown('http', SHUTDOWN_PRIORITY.intake, step('http', 20));
    shutdown.onShutdown('bus', SHUTDOWN_PRIORITY.intake, step('bus', 1));
    const forget = shutdown.onShutdown('gone', SHUTDOWN_PRIORITY.intake, step('gone', 0));
    forget();
    const results = await Promise.all([shutdown.run('test', 5), shutdown.run('again', 5)]);
    expect(results).toEqual([true, true]);
    expect(order).toEqual(['http begins', 'bus begins', 'bus ends', 'http ends', 'database begins', 'database ends']);
  });

  it('takes no new work from its first step on', async () => {
    const health = new Health();
    health.started();
    const shutdown = new Shutdown(health);
    let ready: boolean | undefined;
    shutdown.onShutdown('http', SHUTDOWN_PRIORITY.intake, async () => void (ready = (await health.readyz()).ok));
    await shutdown.run('test', 5);
    expect(ready).toBe(false);
  });

  it('goes on after a step that fails, and says so', async () => {
    const shutdown = new Shutdown(new Health());
    let closed = false;
    shutdown.onShutdown('broken', 1, () => {
      throw new Error('no');
    });
    shutdown.onShutdown('next', 2, () => void (closed = true));
    expect(await shutdown.run('test', 5)).toBe(false);
    expect(closed).toBe(true);
  });

  it('does not wait beyond its grace', async () => {
    const shutdown = new Shutdown(new Health());
    shutdown.onShutdown('hangs', 1, () => new Promise(() => undefined));
    const began = performance.now();
    expect(await shutdown.run('test', 0.05)).toBe(false);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('signals', () => {
  const listen = (step: () => unknown, graceSeconds = 5) => {
    const shutdown = new Shutdown(new Health());
    const signals = new EventEmitter();
    const codes: number[] = [];
    shutdown.onShutdown('work', SHUTDOWN_PRIORITY.work, step);
    const stop = shutdown.listen({ graceSeconds, signals, exit: (code) => void codes.push(code) });
    return { signals, codes, stop, ended: () => shutdown.run('waiting', graceSeconds) };
  };

  it('signals end the process with 0 when all went well, and with 1 when it did not', async () => {
    const well = listen(() => sleep(5));
    well.signals.emit('SIGTERM', 'SIGTERM');
    expect(well.codes).toEqual([]);
    await well.ended();
    expect(well.codes).toEqual([0]);
    const late = listen(() => new Promise(() => undefined), 0.02);
    late.signals.emit('SIGINT', 'SIGINT');
    await late.ended();
    expect(late.codes).toEqual([1]);
  });

  it('a second signal ends the process at once', () => {
    const hanging = listen(() => new Promise(() => undefined), 0.02);
    hanging.signals.emit('SIGTERM', 'SIGTERM');
    expect(hanging.codes).toEqual([]);
    hanging.signals.emit('SIGINT', 'SIGINT');
    expect(hanging.codes).toEqual([130]);
  });

  it('signals are ignored once nobody listens', () => {
    const { signals, stop } = listen(() => undefined);
    stop();
    expect(signals.eventNames()).toEqual([]);
  });
});
