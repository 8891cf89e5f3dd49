import { describe, expect, it } from '@jest/globals';
import { unusedDependencies, unusedIn } from './workspace-dependencies.mjs';

describe('a dependency on a package of the workspace', () => {
  it('is used by the package that states it', () => {
    expect(unusedDependencies()).toEqual([]);
  });

  it('is used where a source names it or a part of it', () => {
    const manifest = {
      dependencies: { '@adit/media': 'workspace:*', '@adit/jobs': 'workspace:*', zod: '^4.6.7' },
      devDependencies: { '@adit/testing': 'workspace:*', '@adit/job': 'workspace:*' },
    };
    const sources = [`import { probeMedia } from '@adit/media';`, `await import('@adit/jobs/commands');`];
    expect(unusedIn(manifest, sources)).toEqual(['@adit/testing', '@adit/job']);
    expect(unusedIn({}, sources)).toEqual([]);
  });
});
