/** The inference service of the family `landmark` as a process. */
import { runInference } from '@adit/inference-service';
import { shippedExtensions } from '@adit/modules/shipped';
import { LANDMARK_APP } from './index.js';

await runInference({ ...LANDMARK_APP, ...(await shippedExtensions()) });
