/** The inference service of the family `face` as a process. */
import { runInference } from '@adit/inference-service';
import { shippedExtensions } from '@adit/modules/shipped';
import { FACE_APP } from './index.js';

await runInference({ ...FACE_APP, ...(await shippedExtensions()) });
