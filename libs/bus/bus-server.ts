import { AditError, MESSAGE_VERSION } from '@adit/contracts';
import { createLogger, messageAttributes, withContext, withSpan } from '@adit/runtime';
import { Server } from '@nestjs/microservices';
import type { CustomTransportStrategy, MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { BusContext } from './bus-context.js';
import { handlingSeconds, messagesFailed, messagesHandled } from './metrics.js';
import { observeLag } from './observe-lag.js';
import { BUS_TRANSPORT } from './handles.js';
import type { HandledTopic, HandlesOptions } from './handles.js';
import type { Bus, DeliveryContext, ReceivedMessage, Subscription } from './port.js';
import { parsePayload } from './wire.js';

const logger = createLogger('bus');

/** Options of `@Handles`. Without it Nest passes on the options of another decorator, or nothing. */
type Extras = Partial<HandlesOptions>;

interface RegisteredHandler extends HandlesOptions {
  topic: HandledTopic;
  call: MessageHandler;
}

/**
 * Nest's side of the bus, whatever its driver: every method marked with `@Handles` is subscribed to its topic under its
 * own group, so one application can hold the handlers of many groups.
 */
export class BusServer extends Server implements CustomTransportStrategy {
  override readonly transportId = BUS_TRANSPORT;
  /** The bus learns of every failure and logs it, so Nest need not. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly registered: RegisteredHandler[] = [];
  private subscriptions: Subscription[] = [];
  private forgetLag: (() => void) | null = null;

  constructor(private readonly bus: Bus) {
    super();
  }

  /** Called by Nest. Its own version chains handlers of one pattern and would call all of them for each group. */
  override addHandler(topic: HandledTopic, call: MessageHandler, isEvent = false, extras: Extras = {}): void {
    const { group, concurrency, commitWithinMs } = extras;
    if (!isEvent || typeof topic !== 'string' || group === undefined) {
      throw new AditError('INTERNAL', `The handler of ${String(topic)} has no group; mark it with @Handles.`);
    }
    if (this.registered.some((other) => other.topic === topic && other.group === group)) {
      throw new AditError('INTERNAL', `Two handlers read ${topic} as the group ${group}; each would miss messages.`);
    }
    call.isEventHandler = true;
    call.extras = extras;
    this.messageHandlers.set(`${topic} ${group}`, call);
    this.registered.push({
      ...{ topic, group, call },
      ...(concurrency !== undefined && { concurrency }),
      ...(commitWithinMs !== undefined && { commitWithinMs }),
    });
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      for (const handler of this.registered) this.subscriptions.push(await this.subscribe(handler));
      this.forgetLag = observeLag(this.bus);
      callback();
    } catch (error) {
      await this.close();
      callback(error);
    }
  }

  /** Takes no more messages and waits for the handlers that run. The bus itself stays open for its other users. */
  async close(): Promise<void> {
    this.forgetLag?.();
    await Promise.all(this.subscriptions.splice(0).map((subscription) => subscription.close()));
  }

  on(): never {
    throw new Error('The bus has no events of its own; its failures are in the log and the metrics.');
  }

  unwrap<T>(): T {
    // The caller says what it takes the server for: so Nest declares it.
    return this.bus as T;
  }

  private subscribe(handler: RegisteredHandler): Promise<Subscription> {
    const { topic, group, call, concurrency = 1, commitWithinMs = 0 } = handler;
    logger.debug({ topic, group, concurrency }, 'Subscribing');
    return this.bus.subscribe({
      topic,
      group,
      concurrency,
      commitWithinMs,
      handle: (message, delivery) =>
        observed(this.bus.system, group, message, () => this.handle(call, message, delivery)),
    });
  }

  private async handle(call: MessageHandler, message: ReceivedMessage, delivery: DeliveryContext): Promise<void> {
    refuseLater(message);
    const payload = parsePayload(message.topic, message.envelope.payload);
    const context = new BusContext(message, delivery);
    await this.hooked(context, async () => {
      const result: unknown = await call(payload, context);
      if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
    });
  }

  /** Nest's instrumentation hooks around one message. */
  private async hooked(context: BusContext, fn: () => Promise<void>): Promise<void> {
    let outcome: Promise<void> | undefined;
    const run = () => (outcome ??= fn());
    try {
      await this.onProcessingStartHook(this.transportId, context, run);
      await run();
    } finally {
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- declared by Nest, set where it is instrumented
      this.onProcessingEndHook?.(this.transportId, context);
    }
  }
}

/** Defers a message of a newer version: only a newer build understands it, so the message waits for such a process. */
function refuseLater({ topic, envelope: { version = 1 } }: ReceivedMessage): void {
  if (version <= MESSAGE_VERSION) return;
  throw new AditError(
    'UNAVAILABLE',
    `A message of ${topic} has version ${version}, this process reads up to ${MESSAGE_VERSION}: it waits for a newer one.`,
  );
}

/** Trace, log context and metrics of one delivery. */
async function observed(
  system: Bus['system'],
  group: string,
  message: ReceivedMessage,
  fn: () => Promise<void>,
): Promise<void> {
  const { topic, key, envelope } = message;
  const { id, jobId, traceparent: parent } = envelope;
  const labels = { topic, group };
  const attributes = messageAttributes('process', { system, topic, id, jobId, group, key });
  const stop = handlingSeconds.startTimer(labels);
  try {
    await withContext({ jobId: envelope.jobId }, () =>
      withSpan(`process ${topic}`, { role: 'consumer', parent, attributes }, fn),
    );
    messagesHandled.inc(labels);
  } catch (error) {
    messagesFailed.inc({ ...labels, code: AditError.from(error).code });
    throw error;
  } finally {
    stop();
  }
}
