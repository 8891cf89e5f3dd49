// Packages to mutate, and the suites that are meant to notice.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A package's own suites always run; `suites` are those of others that it leans on: files, or folders with all suites in them.
 * End-to-end suites are left out. They would notice more, minutes for each mutant, and tests belong beside the code.
 */
export const PACKAGES = [
  { folder: 'libs/leases', suites: ['libs/jobs/attempts.spec.ts'] },
  {
    folder: 'libs/jobs',
    suites: [
      'apps/aggregator/folding/fold-advance.spec.ts',
      'apps/aggregator/folding/job-advance.spec.ts',
      'apps/aggregator/endings/complete-jobs.spec.ts',
    ],
  },
  { folder: 'libs/outbox', suites: [] },
  {
    folder: 'libs/transcript-store',
    suites: ['apps/gateway/transcripts', 'apps/aggregator/tasks/transcript-exports.spec.ts'],
  },
  {
    folder: 'libs/datasets',
    suites: [
      'apps/gateway/datasets',
      'apps/aggregator/tasks/dataset-imports.spec.ts',
      'apps/aggregator/tasks/interrupted-imports.spec.ts',
      'apps/aggregator/tasks/import-limits.spec.ts',
      'apps/aggregator/tasks/exported-datasets.spec.ts',
      'apps/aggregator/tasks/dataset-erasures.spec.ts',
      'apps/aggregator/tasks/trained-images.spec.ts',
    ],
  },
  { folder: 'apps/gateway/auth', suites: ['apps/gateway/gateway.spec.ts'] },
];

const SPEC = '.spec.ts';
/** Folders that are not part of the product. */
const SKIPPED = new Set(['node_modules', 'dist', 'testing', 'e2e']);

/** Paths below `root` of a package's sources, in order. */
export function sourcesOf(root, { folder }) {
  return filesIn(root, folder).filter((path) => !path.endsWith(SPEC));
}

/** Paths below `root` of the suites that are meant to notice, the package's own first. Throws for one that is not there. */
export function suitesOf(root, { folder, suites }) {
  const named = suites.flatMap((path) => (path.endsWith(SPEC) ? [path] : specsIn(root, path)));
  const missing = named.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) throw new Error(`tools/mutants/packages.mjs names ${missing}, which is not there.`);
  return [...specsIn(root, folder), ...named];
}

const specsIn = (root, folder) => filesIn(root, folder).filter((path) => path.endsWith(SPEC));

function filesIn(root, folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesIn(root, path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}
