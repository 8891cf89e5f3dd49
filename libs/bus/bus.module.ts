import { AditError } from '@adit/contracts';
import { createLogger, health } from '@adit/runtime';
import type { BaseConfig } from '@adit/runtime';
import { Inject, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { InProcessBus } from './in-process.js';
import type { InProcessBusOptions } from './in-process.js';
import { KafkaBus } from './kafka.js';
import type { KafkaBusOptions } from './kafka.js';
import type { KafkaConfig } from './kafka-config.js';
import { BUS } from './port.js';
import type { Bus } from './port.js';

const logger = createLogger('bus');

type BusConfig = Pick<BaseConfig, 'busDriver'> & {
  inProcess?: InProcessBusOptions;
  /** Needed with `busDriver: 'kafka'`. */
  kafka?: KafkaConfig;
  kafkaOptions?: KafkaBusOptions;
};

interface SharedBus {
  bus: Bus;
  users: number;
}

/** The in-process bus only means something when every application of the process has the same one; Kafka's connections are fewer so. */
let shared: SharedBus | null = null;

/** One application's hold on the process's bus; the last one that lets go closes it. */
class BusLease {
  private released = false;

  constructor(readonly shared: SharedBus) {
    shared.users += 1;
  }

  async release(): Promise<void> {
    if (this.released) return;
    this.released = true;
    this.shared.users -= 1;
    if (this.shared.users > 0) return;
    if (shared === this.shared) shared = null;
    await this.shared.bus.close();
  }
}

function leaseBus(config: BusConfig): BusLease {
  shared ??= { bus: openBus(config), users: 0 };
  return new BusLease(shared);
}

function openBus(config: BusConfig): Bus {
  switch (config.busDriver) {
    case 'in-process':
      return new InProcessBus(config.inProcess);
    case 'kafka':
      return openKafka(config);
  }
}

function openKafka({ kafka, kafkaOptions }: BusConfig): Bus {
  if (kafka === undefined) {
    throw new AditError('INTERNAL', 'BUS_DRIVER=kafka: this app does not hand the settings KAFKA_… to its bus.');
  }
  const bus = new KafkaBus(kafka, kafkaOptions);
  // A broker that is away must not keep a process from starting; topics are made before their first use as well.
  bus.prepare().catch((error: unknown) => logger.warn({ err: error }, 'Kafka’s topics could not be checked yet'));
  return bus;
}

const BUS_LEASE = Symbol('BusLease');

/** Gives `BUS` to the whole application, by configuration, and closes it after everything that uses it. */
@Module({})
export class BusModule implements OnModuleInit, OnApplicationShutdown {
  private unregister: (() => void) | null = null;

  constructor(@Inject(BUS_LEASE) private readonly lease: BusLease) {}

  static forRoot(config: BusConfig): DynamicModule {
    return {
      module: BusModule,
      global: true,
      providers: [
        { provide: BUS_LEASE, useFactory: () => leaseBus(config) },
        { provide: BUS, useFactory: (lease: BusLease) => lease.shared.bus, inject: [BUS_LEASE] },
      ],
      exports: [BUS],
    };
  }

  onModuleInit(): void {
    this.unregister = health.register('bus', () => this.lease.shared.bus.ping());
  }

  /** Nest closes the transports, and with them the subscriptions, before it calls this. */
  async onApplicationShutdown(): Promise<void> {
    this.unregister?.();
    await this.lease.release();
  }
}
