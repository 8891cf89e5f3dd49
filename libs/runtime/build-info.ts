import { buildVersion } from './build-version.js';
import { buildInfo } from './metrics.js';

/** Adds `adit_build_info` to the metrics: 1, with what this process is. */
export function collectBuildInfo(service: string): void {
  const labels = { version: buildVersion(), service, node: process.versions.node };
  buildInfo().set(labels, 1);
}
