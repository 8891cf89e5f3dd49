import { DecoderConfig } from '@adit/decoder';
import { GatewayConfig } from '@adit/gateway';
import { InferenceConfig } from '@adit/inference-service';
import { NotifierConfig } from '@adit/notifier';
import { RecorderConfig } from '@adit/recorder';
import { PlatformConfig } from '@adit/service';
import { z } from 'zod';

/** Every setting of the engine in one process. */
export const EngineConfig = z.object({
  ...PlatformConfig.shape,
  ...DecoderConfig.shape,
  ...InferenceConfig.shape,
  ...GatewayConfig.shape,
  ...NotifierConfig.shape,
  ...RecorderConfig.shape,
});
export type EngineConfig = z.infer<typeof EngineConfig>;
