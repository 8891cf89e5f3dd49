// Events of exports as the aggregator raises them, each in a transaction of its own, at a steady rate. In a process of its
// own, whose relay hands them to Kafka as any service's does.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaBus, KafkaConfig } from '@adit/bus';
import { isoTime } from '@adit/contracts';
import { databaseConfig, DatabaseSettings, openDatabase } from '@adit/database';
import { OutboxRelay } from '@adit/outbox';
import { raiseResourceEvent } from '@adit/webhooks';
import { BaseConfig, loadConfig } from '@adit/runtime';
import { answer } from './child.mjs';

const TICK_MS = 20;
const config = loadConfig(BaseConfig.extend({ ...DatabaseSettings.shape, ...KafkaConfig.shape }));
const database = await openDatabase(databaseConfig(config, '', 'adit-bench'));
const bus = new KafkaBus(config);
const relay = new OutboxRelay(database.dataSource, bus);
relay.onApplicationBootstrap();

answer({
  /** Raises `rate` events a second for `seconds`, whether or not those before are through; answers what that was. */
  async raise({ workspaceId, event, rate, seconds }) {
    const began = performance.now();
    const running = [];
    let failure;
    for (let elapsed = 0; elapsed < seconds;) {
      elapsed = Math.min(seconds, (performance.now() - began) / 1000);
      while (running.length < Math.floor(elapsed * rate))
        running.push(
          raiseOne(workspaceId, event).catch((error) => {
            failure ??= error;
          }),
        );
      await sleep(TICK_MS);
    }
    await Promise.all(running);
    if (failure !== undefined) throw failure;
    return { raised: running.length, seconds: (performance.now() - began) / 1000 };
  },
  async end() {
    await relay.onApplicationShutdown();
    await bus.close();
    await database.close();
  },
});

async function raiseOne(workspaceId, event) {
  const id = randomUUID();
  const now = isoTime(new Date());
  const shown = {
    id,
    strategy: 'job_results_export',
    config: { job_id: randomUUID(), format: 'csv' },
    state: 'completed',
    progress: 1,
    error_msg: null,
    time_created: now,
    time_started: now,
    time_completed: now,
  };
  await relay.transaction((manager) =>
    raiseResourceEvent(manager, event, { id, workspaceId, data: { export: shown } }),
  );
}
