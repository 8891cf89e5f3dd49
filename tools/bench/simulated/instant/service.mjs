// An inference service whose models answer at once, so that everything else is measured. Its family: BENCH_FAMILY.
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';

await runInference({ family: process.env.BENCH_FAMILY, analyses: import.meta.dirname, models: [modelsRoot()] });
