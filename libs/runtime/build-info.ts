import { buildVersion } from './build-version.js';
import { gauge } from './metrics.js';

/** Adds `adit_build_info` to the metrics: 1, with what this process is. */
export function collectBuildInfo(service: string): void {
  const labels = { version: buildVersion(), service, node: process.versions.node };
  gauge('adit_build_info', 'What runs here; always 1.', ['version', 'service', 'node']).set(labels, 1);
}
