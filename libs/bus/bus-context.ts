import type { Envelope } from '@adit/contracts';
import { BaseRpcContext } from '@nestjs/microservices';
import type { DeliveryContext, ReceivedMessage } from './port.js';

/** Facts about a message besides its payload. */
export class BusContext extends BaseRpcContext<[ReceivedMessage, DeliveryContext]> {
  constructor(message: ReceivedMessage, delivery: DeliveryContext) {
    super([message, delivery]);
  }

  get topic(): string {
    return this.args[0].topic;
  }

  get key(): string {
    return this.args[0].key;
  }

  get envelope(): Envelope {
    return this.args[0].envelope;
  }

  /** Number of times that this group was given this message, this time included. */
  get delivery(): number {
    return this.args[1].delivery;
  }

  /** Aborts when the process shuts down or the subscription closes. */
  get signal(): AbortSignal {
    return this.args[1].signal;
  }
}
