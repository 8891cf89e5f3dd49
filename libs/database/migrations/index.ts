import { Initial1795219200000 } from './1795219200000-initial.js';
import { Webhooks1795255173495 } from './1795255173495-webhooks.js';
import { Dictionaries1795255664719 } from './1795255664719-dictionaries.js';
import { Access1795267818183 } from './1795267818183-access.js';
import { ResourceWebhooks1795267925251 } from './1795267925251-resource-webhooks.js';
import { Storage1795268034111 } from './1795268034111-storage.js';
import { BatchesAndExports1795270022981 } from './1795270022981-batches-and-exports.js';
import { Models1795281003051 } from './1795281003051-models.js';
import { WebhooksGone1795285200000 } from './1795285200000-webhooks-gone.js';

/** In the order they are run. A released migration is never changed: the next one is added. */
export const MIGRATIONS = [
  Initial1795219200000,
  Webhooks1795255173495,
  Dictionaries1795255664719,
  Access1795267818183,
  ResourceWebhooks1795267925251,
  Storage1795268034111,
  BatchesAndExports1795270022981,
  Models1795281003051,
  WebhooksGone1795285200000,
];
