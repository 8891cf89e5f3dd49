// A part of `npm run docs`: docs/reference/metrics.md.
import { writeFileSync } from 'node:fs';
import { METRICS_PAGE, metricsPage } from './metrics.mjs';

writeFileSync(METRICS_PAGE, metricsPage());
