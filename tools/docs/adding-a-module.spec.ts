/** @needs ffmpeg */
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { stepsOf, type PageSteps } from './page-blocks.js';
import { RepositoryCopy } from './repository-copy.js';

const docs = join(import.meta.dirname, '../../docs/internals');
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
  // Loud twice, the second time over the border of two chunks.
  const heard = 'aevalsrc=sin(2*PI*440*t)*if(between(t\\,5\\,9)+between(t\\,24\\,34)\\,0.5\\,0.001):s=48000:d=40';
  const sound = ['-f', 'lavfi', '-i', heard];
  await copyFile(await transcode('speech.mp3', sound), join(copy.folder, 'speech.mp3'));
  const talking = ['-i', sampleMedia().franck, ...sound, '-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-t', '40'];
  await copyFile(await transcode('interview.mp4', talking), join(copy.folder, 'interview.mp4'));
}, LONG);
afterAll(() => copy?.remove(), LONG);

describe('a reader who follows docs/internals/adding-an-analysis.md and docs/internals/adding-a-module.md', () => {
  it('writes two analyses and three modules, with specs', () => {
    expect([...analysis.files, ...module.files].map(({ path }) => path)).toEqual([
      'libs/analyses/brightness/observations.ts',
      'libs/analyses/brightness/analysis.ts',
      'libs/analyses/brightness/analysis.spec.ts',
      'libs/modules/darkness/module.ts',
      'libs/analyses/loudness/observations.ts',
      'libs/analyses/loudness/analysis.ts',
      'libs/analyses/loudness/analysis.spec.ts',
      'libs/modules/loud_passages/module.ts',
      'libs/modules/crowd/module.ts',
      'libs/modules/crowd/fold.spec.ts',
    ]);
    expect([...analysis.commands, ...module.commands]).toHaveLength(6);
  });

  it(
    'sees the specs of both pages pass',
    async () => {
      const specs = [...analysis.commands, ...module.commands].filter((command) => command.includes('jest'));
      expect(specs).toHaveLength(3);
      const [jest, ...others] = [...new Set(specs.map((command) => command.slice(0, command.lastIndexOf(' '))))];
      expect(others).toEqual([]);
      // One start of jest for all of them: it reads the whole copy before it runs anything.
      const folders = specs.map((command) => command.split(' ').at(-1));
      expect(await copy.run(`${jest} -i ${folders.join(' ')}`)).toMatch(
        /Test Suites: +3 passed, 3 total[^]*Tests: +3 passed, 3 total/,
      );
    },
    LONG,
  );

  it(
    'mines a photo with the module over the new analysis',
    async () => {
      expect(await copy.run(mining('holiday.jpg'))).toMatch(/^dark +–$/m);
      expect(await resultsOf('holiday')).toMatchObject([
        { module: 'darkness', media_type: 'image', frame_start: 0, meta: { label: 'dark' } },
      ]);
    },
    LONG,
  );

  it.each([
    ['speech.mp3', 'audio'],
    ['interview.mp4', 'video'],
  ])(
    'mines the sound of %s with the module over the analysis of sound',
    async (file, mediaType) => {
      expect(await copy.run(mining(file))).toMatch(/^loud +5\.0 s +9\.0 s /m);
      expect(await resultsOf(file.split('.')[0]!)).toMatchObject([
        { module: 'loud_passages', media_type: mediaType, frame_start: null, time_start: 5, time_end: 9 },
        { module: 'loud_passages', media_type: mediaType, frame_start: null, time_start: 24, time_end: 34 },
      ]);
    },
    LONG,
  );
});

/** The page's command that mines a file. */
function mining(file: string): string {
  return analysis.commands.find((line) => line.startsWith(`npm run mine -- ${file}`)) ?? '';
}

/** The detailed results of the run that was named after a file. */
async function resultsOf(name: string): Promise<unknown> {
  const folders = await readdir(join(copy.folder, 'adit-results'));
  const folder = folders.find((each) => each.includes(name)) ?? '';
  const text = await readFile(join(copy.folder, 'adit-results', folder, 'results.json'), 'utf8');
  return (JSON.parse(text) as { detailed_results?: unknown }).detailed_results;
}

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
