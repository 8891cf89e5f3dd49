import { Handles, type BusContext } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { storeDeliveries } from '@adit/webhooks';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dispatcher } from './dispatcher.js';
import { JobWebhooks } from './job-webhooks.js';
import { ResourceWebhooks } from './resource-webhooks.js';

/** events.raised: note down what the job's webhook, or the workspace's webhooks, asked for. A message that comes twice is noted once. */
@Controller()
export class EventsHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobWebhooks) private readonly jobs: JobWebhooks,
    @Inject(ResourceWebhooks) private readonly resources: ResourceWebhooks,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher,
  ) {}

  // Noting an event twice changes nothing, and there may be hundreds a second.
  @Handles('events.raised', { group: 'notifier', concurrency: 12, commitWithinMs: 200 })
  async raised(event: Payload<'events.raised'>, context: BusContext): Promise<void> {
    const deliveries = [
      ...(await this.jobs.deliveriesOf(event, context.envelope)),
      ...(await this.resources.deliveriesOf(event, context.envelope)),
    ];
    if (deliveries.length === 0) return;
    // Hundreds of results with their pictures are many bytes: a statement takes a part of them.
    for (let at = 0; at < deliveries.length; at += 100) {
      const part = deliveries.slice(at, at + 100);
      await storeDeliveries(this.db, part, this.dispatcher.now());
    }
    this.dispatcher.nudge();
  }
}
