import { DatabaseSettings } from '@adit/database';
import { DecoderConfig } from '@adit/decoder';
import { GatewayConfig } from '@adit/gateway';
import { InferenceConfig } from '@adit/inference/service';
import { JobSettings } from '@adit/jobs';
import { ObjectsSettings } from '@adit/objects';
import { BaseConfig } from '@adit/runtime';
import { z } from 'zod';

/** Every setting of the embedded engine. */
export const EngineConfig = z.object({
  ...BaseConfig.shape,
  ...DatabaseSettings.shape,
  ...ObjectsSettings.shape,
  ...JobSettings.shape,
  ...DecoderConfig.shape,
  ...InferenceConfig.shape,
  ...GatewayConfig.shape,
});
export type EngineConfig = z.infer<typeof EngineConfig>;
