import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { stepsOf, type PageSteps } from './page-blocks.js';
import { RepositoryCopy } from './repository-copy.js';

const docs = join(import.meta.dirname, '../../docs');
const LONG = 600_000;
let copy: RepositoryCopy;
let analysis: PageSteps;
let module: PageSteps;

beforeAll(async () => {
  [analysis, module] = (await Promise.all(
    ['adding-an-analysis.md', 'adding-a-module.md'].map(async (page) =>
      stepsOf(await readFile(join(docs, page), 'utf8')),
    ),
  )) as [PageSteps, PageSteps];
  copy = await RepositoryCopy.make();
  for (const { path, content } of [...analysis.files, ...module.files]) await copy.write(path, content);
  // The photo of the page: too dark to see anything.
  const dark = ['-i', sampleMedia().groups['sample3']!, '-vf', 'lutyuv=y=16+(val-16)*0.05', '-frames:v', '1'];
  await copyFile(await transcode('holiday.jpg', dark), join(copy.folder, 'holiday.jpg'));
}, LONG);
afterAll(() => copy?.remove(), LONG);

describe('a reader who follows docs/adding-an-analysis.md and docs/adding-a-module.md', () => {
  it('writes an analysis and two modules, with specs', () => {
    expect([...analysis.files, ...module.files].map(({ path }) => path)).toEqual([
      'libs/analyses/brightness/observations.ts',
      'libs/analyses/brightness/analysis.ts',
      'libs/analyses/brightness/analysis.spec.ts',
      'libs/modules/darkness/module.ts',
      'libs/modules/crowd/module.ts',
      'libs/modules/crowd/fold.spec.ts',
    ]);
    expect([...analysis.commands, ...module.commands]).toHaveLength(3);
  });

  it(
    'sees the specs of both pages pass',
    async () => {
      const specs = [...analysis.commands, ...module.commands].filter((command) => command.includes('jest'));
      expect(specs).toHaveLength(2);
      for (const command of specs) expect(await copy.run(command)).toMatch(/Tests: +1 passed, 1 total/);
    },
    LONG,
  );

  it(
    'mines a photo with the module over the new analysis',
    async () => {
      const [command = ''] = analysis.commands.filter((line) => line.startsWith('npm run mine'));
      expect(await copy.run(command)).toMatch(/^dark +–$/m);
      const [folder = ''] = await readdir(join(copy.folder, 'adit-results'));
      const text = await readFile(join(copy.folder, 'adit-results', folder, 'results.json'), 'utf8');
      const results = JSON.parse(text) as { detailed_results?: unknown };
      expect(results.detailed_results).toMatchObject([
        { module: 'darkness', media_type: 'image', frame_start: 0, meta: { label: 'dark' } },
      ]);
    },
    LONG,
  );
});

describe('the steps of a page', () => {
  it('are its blocks with a path, and its commands', () => {
    const page = [
      'Text',
      '```ts a/b.ts',
      'const x = 1;',
      '',
      '```',
      '```ts',
      'not me',
      '```',
      '```sh',
      'one two',
      '',
      'three',
      '```',
    ];
    expect(stepsOf(page.join('\n'))).toEqual({
      files: [{ path: 'a/b.ts', content: 'const x = 1;\n\n' }],
      commands: ['one two', 'three'],
    });
  });
});
