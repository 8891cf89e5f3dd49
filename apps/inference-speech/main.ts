/** The inference service of the family `speech` as a process. */
import { runInference } from '@adit/inference-service';
import { shippedExtensions } from '@adit/modules/shipped';
import { SPEECH_APP } from './index.js';

await runInference({ ...SPEECH_APP, ...(await shippedExtensions()) });
