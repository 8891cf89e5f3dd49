// Webhooks at a steady rate: how long from an event to the first attempt to deliver it, and whether any is lost.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../child.mjs';
import { cpuSeconds } from '../cpu.mjs';
import { percentile, seconds as inSeconds } from '../measure.mjs';
import { Processes } from '../processes.mjs';

const RATE = 250;
const P95 = 1;
/** The share of the rate that the generator has to hold for the row to say anything. */
const HELD = 0.98;
const EVENT = 'svc.export.on_completed';
/** Limit of the wait for the last ones. */
const DRAIN_MS = 30_000;

/** about 3 minutes. */
export async function webhooks(bench) {
  const length = bench.quick ? 20 : 120;
  const receiver = await Receiver.start();
  let raiser;
  let processes;
  try {
    processes = await Processes.start({
      only: ['gateway', 'notifier'],
      environment: { ADIT_WEBHOOK_ALLOW_HTTP: 'true', ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32' },
    });
    const body = JSON.stringify({ event: EVENT, url: receiver.url, hmac_secret: 'the secret of the benchmark' });
    await processes.get('/webhooks/', { method: 'POST', body });
    const { rows } = await processes.db.query('SELECT workspace_id AS "workspaceId" FROM webhooks');
    raiser = new Child(join(import.meta.dirname, '../raise-process.mjs'), {
      env: { ...process.env, ...processes.environment, BUS_DRIVER: 'kafka', DATABASE_DRIVER: 'postgres' },
    });
    const raise = (seconds) => raiser.ask('raise', { ...rows[0], event: EVENT, rate: RATE, seconds });
    const warm = await raise(bench.quick ? 10 : 20);
    await receiver.holds(warm.raised);
    receiver.forget();
    const [{ pid }] = processes.of('notifier');
    const before = await cpuSeconds(pid);
    const { raised, seconds } = await raise(length);
    const rate = raised / seconds;
    const late = performance.now();
    await receiver.holds(raised);
    const drained = inSeconds(performance.now() - late);
    const cpu = ((await cpuSeconds(pid)) - before) / raised;
    const at = (share) => percentile(receiver.delays, share);
    const lost = raised - receiver.count;
    bench.log(`webhooks: ${rate.toFixed(0)}/s for ${seconds.toFixed(0)} s, p95 ${at(0.95).toFixed(3)} s`);
    return [
      {
        name: `${RATE} webhooks a second, event to first attempt`,
        measured: `p95 ${(1000 * at(0.95)).toFixed(0)} ms, ${lost} lost`,
        goal: `p95 ≤ ${1000 * P95} ms, none lost`,
        ok: at(0.95) <= P95 && lost === 0 && rate >= HELD * RATE,
        note:
          `${rate.toFixed(0)}/s for ${seconds.toFixed(0)} s to one receiver, all on the same cores; ` +
          `p50 ${(1000 * at(0.5)).toFixed(0)} ms, p99 ${(1000 * at(0.99)).toFixed(0)} ms, ` +
          `the last ${drained.toFixed(1)} s after its event; ${receiver.again} sent twice; ` +
          `${(1000 * cpu).toFixed(1)} ms of CPU each in the notifier`,
      },
    ];
  } finally {
    await raiser?.close();
    await processes?.close();
    await receiver.close();
  }
}

/** Answers at once and keeps how long each event took to come. */
class Receiver {
  #server;
  #seen = new Set();
  /** Seconds, of first attempts. */
  delays = [];
  again = 0;

  static async start() {
    const receiver = new Receiver();
    receiver.#server = createServer((request, response) => {
      const came = Date.now() / 1000;
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (piece) => (body += piece));
      request.on('end', () => {
        receiver.#take(JSON.parse(body), came);
        response.writeHead(204).end();
      });
    });
    await new Promise((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/hook`;
  }

  get count() {
    return this.delays.length;
  }

  /** Waits until so many different ones are here, as long as may be. */
  async holds(count) {
    for (const end = Date.now() + DRAIN_MS; this.count < count && Date.now() < end;) await sleep(10);
  }

  forget() {
    this.delays = [];
    this.again = 0;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take({ id, timestamp }, came) {
    if (this.#seen.has(id)) {
      this.again++;
      return;
    }
    this.#seen.add(id);
    this.delays.push(came - timestamp);
  }
}
