import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gauge } from './metrics.js';

/** The release this process was built from; all packages have the same. */
export function buildVersion(): string {
  // Beside the sources, one folder above the build.
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return version;
}

/** Adds `adit_build_info` to the metrics: 1, with what this process is. */
export function collectBuildInfo(service: string): void {
  const labels = { version: buildVersion(), service, node: process.versions.node };
  gauge('adit_build_info', 'What runs here; always 1.', ['version', 'service', 'node']).set(labels, 1);
}
