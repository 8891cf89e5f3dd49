import { KafkaConfig } from '@adit/bus';
import { DatabaseSettings } from '@adit/database';
import { DecoderConfig } from '@adit/decoder';
import { GatewayConfig } from '@adit/gateway';
import { InferenceConfig } from '@adit/inference-service';
import { JobSettings } from '@adit/jobs';
import { NotifierConfig } from '@adit/notifier';
import { ObjectsSettings } from '@adit/objects';
import { RecorderConfig } from '@adit/recorder';
import { BaseConfig, configurationDoc, describeConfig } from '@adit/runtime';
import { OperationsConfig } from '@adit/service';
import { StreamSettings } from '@adit/streams';
import type { z } from 'zod';

/** Title, introduction and settings of each section. */
export const SECTIONS: [title: string, introduction: string, schema: z.ZodObject][] = [
  ['Every process', 'Where things are kept, and how it speaks.', BaseConfig],
  ['API', 'The gateway.', GatewayConfig],
  ['Webhooks', 'The notifier.', NotifierConfig],
  ['Jobs', 'How much runs at the same time.', JobSettings],
  ['Live streams', 'How many are read at the same time.', StreamSettings],
  ['Decoding', 'Fetching sources and keeping them for a while.', DecoderConfig],
  ['Live streams', 'The recorder.', RecorderConfig],
  ['Models', 'Where models come from and what they run on.', InferenceConfig],
  ['PostgreSQL', 'With `DATABASE_DRIVER=postgres`.', DatabaseSettings],
  ['Kafka', 'With `BUS_DRIVER=kafka`.', KafkaConfig],
  ['MinIO', 'With `OBJECTS_DRIVER=minio`.', ObjectsSettings],
  ['Probes', 'Of every process without an API.', OperationsConfig],
];

/** docs/reference/configuration.md: every setting of all processes once, by the part that reads it first. */
export function configurationPage(): string {
  const seen = new Set<string>();
  return configurationDoc(
    SECTIONS.map(([title, introduction, schema]) => ({
      title,
      introduction,
      rows: describeConfig(schema).filter(({ env }) => !seen.has(env) && seen.add(env)),
    })),
  );
}
