/** The inference service of the family `text` as a process. */
import { runInference } from '@adit/inference-service';
import { shippedExtensions } from '@adit/modules/shipped';
import { TEXT_APP } from './index.js';

await runInference({ ...TEXT_APP, ...(await shippedExtensions()) });
