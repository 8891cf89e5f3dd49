import { Handles, type BusContext } from '@adit/bus';
import type { Envelope, Payload } from '@adit/contracts';
import { storeDeliveries } from '@adit/webhooks';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dispatcher } from './dispatcher.js';
import { JobWebhooks } from './job-webhooks.js';
import { ResourceWebhooks } from './resource-webhooks.js';

/**
 * Handles events.raised: stores deliveries for the job's webhook, or the workspace's webhooks. A duplicate message is
 * stored once.
 */
@Controller()
export class EventsHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobWebhooks) private readonly jobs: JobWebhooks,
    @Inject(ResourceWebhooks) private readonly resources: ResourceWebhooks,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher,
  ) {}

  // Storing an event twice changes nothing, and there may be hundreds a second.
  @Handles('events.raised', { group: 'notifier', concurrency: 12, commitWithinMs: 200 })
  async raised(event: Payload<'events.raised'>, context: BusContext): Promise<void> {
    // The delivery may show a person who was erased between reading and storing: it is made again, without them.
    while ((await this.note(event, context.envelope)) === null);
    this.dispatcher.nudge();
  }

  /** Stores the deliveries; null when a person whom the event shows was erased meanwhile. */
  private async note(event: Payload<'events.raised'>, envelope: Envelope): Promise<number | null> {
    const deliveries = [
      ...(await this.jobs.deliveriesOf(event, envelope)),
      ...(await this.resources.deliveriesOf(event, envelope)),
    ];
    let noted = 0;
    // Hundreds of results with their pictures are many bytes: each statement stores some of them.
    for (let at = 0; at < deliveries.length; at += 100) {
      const stored = await storeDeliveries(this.db, deliveries.slice(at, at + 100), this.dispatcher.clock?.() ?? null);
      if (stored === null) return null;
      noted += stored;
    }
    return noted;
  }
}
