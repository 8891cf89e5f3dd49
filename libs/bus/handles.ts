import type { Payload, Topic } from '@adit/contracts';
import { Catch, UseFilters } from '@nestjs/common';
import type { ExceptionFilter } from '@nestjs/common';
import { Ctx, EventPattern, Payload as PayloadParameter } from '@nestjs/microservices';
import { throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { BusContext } from './bus-context.js';
import type { DeadLetter, DeadLetterTopic } from './dead-letter.js';

/** Nest gives handlers of this transport to the BusServer only. */
export const BUS_TRANSPORT = Symbol('adit-bus');

export interface HandlesOptions {
  /** The consumer group; processes that name the same group share the topic's messages. */
  group: string;
  /** Partitions worked on at the same time by this process; 1 when left out. */
  concurrency?: number;
  /** The option of SubscriptionOptions. */
  commitWithinMs?: number;
}

export type HandledTopic = Topic | DeadLetterTopic;
type HandledPayload<T extends HandledTopic> = T extends Topic ? Payload<T> : DeadLetter;

type Handler<T extends HandledTopic> = (payload: HandledPayload<T>, context: BusContext) => Promise<void> | void;

/** Nest would answer a failure with a bland "Internal server error"; the bus has to see what the handler threw. */
@Catch()
class RethrowUnchanged implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Marks a controller's method as the handler of a topic for one consumer group. It is called with the payload, parsed by
 * the topic's schema, and a BusContext; the message is committed when its promise resolves. What it throws decides
 * between redelivery and dead letter (`AditError.retryable`).
 */
export function Handles<T extends HandledTopic>(topic: T, options: HandlesOptions) {
  return <M extends Handler<T>>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<M>): void => {
    EventPattern(topic, BUS_TRANSPORT, { ...options })(target, key, descriptor);
    PayloadParameter()(target, key, 0);
    Ctx()(target, key, 1);
    UseFilters(new RethrowUnchanged())(target, key, descriptor);
  };
}
