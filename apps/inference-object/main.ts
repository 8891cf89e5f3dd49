/** The inference service of the family `object` as a process. */
import { runInference } from '@adit/inference-service';
import { shippedExtensions } from '@adit/modules/shipped';
import { OBJECT_APP } from './index.js';

await runInference({ ...OBJECT_APP, ...(await shippedExtensions()) });
