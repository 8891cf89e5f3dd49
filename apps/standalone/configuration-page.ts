import { KafkaConfig } from '@adit/bus';
import { DatabaseSettings } from '@adit/database';
import { DecoderConfig } from '@adit/decoder';
import { GatewayConfig } from '@adit/gateway';
import { InferenceConfig } from '@adit/inference-service';
import { JobSettings } from '@adit/jobs';
import { NotifierConfig } from '@adit/notifier';
import { ObjectsSettings } from '@adit/objects';
import { BaseConfig, configurationDoc, describeConfig } from '@adit/runtime';
import { OperationsConfig } from '@adit/service';
import type { z } from 'zod';

/** docs/configuration.md: every setting of all processes once, by the part that reads it first. */
export function configurationPage(): string {
  const seen = new Set<string>();
  const section = (title: string, introduction: string, schema: z.ZodObject) => ({
    title,
    introduction,
    rows: describeConfig(schema).filter(({ env }) => !seen.has(env) && seen.add(env)),
  });
  return configurationDoc([
    section('Every process', 'Where things are kept, and how it speaks.', BaseConfig),
    section('API', 'The gateway.', GatewayConfig),
    section('Webhooks', 'The notifier.', NotifierConfig),
    section('Jobs', 'How much runs at the same time.', JobSettings),
    section('Decoding', 'Fetching sources and keeping them for a while.', DecoderConfig),
    section('Models', 'Where models come from and what they run on.', InferenceConfig),
    section('PostgreSQL', 'With `DATABASE_DRIVER=postgres`.', DatabaseSettings),
    section('Kafka', 'With `BUS_DRIVER=kafka`.', KafkaConfig),
    section('MinIO', 'With `OBJECTS_DRIVER=minio`.', ObjectsSettings),
    section('Probes', 'Of every process without an API.', OperationsConfig),
  ]);
}
