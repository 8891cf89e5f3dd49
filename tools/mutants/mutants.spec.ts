import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { repositoryRoot } from '../setup/places.mjs';
import { acceptedAs, acceptedSurvivors, outdated } from './accepted.mjs';
import { Findings } from './findings.mjs';
import { mutate } from './mutate.mjs';
import { PACKAGES, sourcesOf, suitesOf } from './packages.mjs';
import { survivor, table } from './report.mjs';
import { runMutants, watchSuite } from './run.mjs';
import { sample } from './sample.mjs';
import { runSuites } from './suites.mjs';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'adit-mutants-spec-'));
  mkdirSync(join(root, 'lib'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function mutantsOf(source: string) {
  writeFileSync(join(root, 'lib/a.ts'), source);
  return await mutate(root, 'lib/a.ts');
}

const mutant = (file: string, from: string, to = `not ${from}`) => ({
  ...{ id: `${file}#1`, line: 1, kind: 'BooleanLiteral', text: '' },
  ...{ file, from, to },
});

describe('the mutants of a source', () => {
  it('are told by the line on which each begins and by what stands there instead', async () => {
    const { mutants } = await mutantsOf('export function isOld(age: number) {\n  return age > 30;\n}\n');
    expect(mutants.map(({ line, from, to }) => [line, from, to])).toEqual([
      [1, 'export function isOld(age: number) {', 'export function isOld(age: number) {}'],
      [2, 'return age > 30;', 'return true;'],
      [2, 'return age > 30;', 'return false;'],
      [2, 'return age > 30;', 'return age >= 30;'],
      [2, 'return age > 30;', 'return age <= 30;'],
    ]);
    expect(mutants[3]?.text).toBe('export function isOld(age: number) {\n  return age >= 30;\n}\n');
  });

  it('leave wording alone: what is logged, and what errors and settings say', async () => {
    const { mutants } = await mutantsOf(
      [
        `log.warn({ count: 1 + 1 }, 'some are left');`,
        `this.log.info('done');`,
        `throw new AditError('NOT_FOUND', 'It is gone.');`,
        `throw new RangeError('too many');`,
        `setting({ name: 'a', description: 'what it does' });`,
      ].join('\n'),
    );
    expect(mutants.map(({ to }) => to)).toEqual([
      `throw new AditError("", 'It is gone.');`,
      'setting({});',
      `setting({ name: "", description: 'what it does' });`,
    ]);
  });
});

describe('a sample', () => {
  const of = (file: string, count: number) => Array.from({ length: count }, (_, at) => mutant(file, `line ${at}`));
  const packages = [of('a/a.ts', 50), of('b/b.ts', 3)];
  const chosen = (seed: string, size: number, from = packages) =>
    sample(from, { seed, size }).map(({ from: line }) => line);

  it('is the same for the same seed, another for another, and a smaller one begins a larger one', () => {
    expect(chosen('1', 20)).toEqual(chosen('1', 20));
    expect(chosen('2', 20)).not.toEqual(chosen('1', 20));
    expect(chosen('1', 20).slice(0, 7)).toEqual(chosen('1', 7));
  });

  it('has as many of each package, where it has them, and never more than there are', () => {
    const files = sample(packages, { seed: '1', size: 10 }).map(({ file }) => file);
    expect([files.filter((file) => file === 'a/a.ts').length, files.length]).toEqual([7, 10]);
    expect(new Set(chosen('1', 400)).size).toBe(50);
    expect(chosen('1', 400)).toHaveLength(53);
  });

  it('stays as it is where others go', () => {
    const [first = [], ...rest] = packages;
    const gone = first.at(-1)?.from;
    const before = chosen('1', 50, [first]).filter((line) => line !== gone);
    expect(chosen('1', 49, [first.slice(0, -1), ...rest.map(() => [])])).toEqual(before);
  });
});

describe('accepted survivors', () => {
  const reason = 'nobody can tell';

  it('are found by what stands in the file, wherever it has moved', () => {
    const accepted = [{ file: 'a.ts', from: 'a > 1', to: 'a >= 1', reason }];
    expect(acceptedAs({ ...mutant('a.ts', 'a > 1', 'a >= 1'), line: 70 }, accepted)).toBe(accepted[0]);
    expect(acceptedAs(mutant('b.ts', 'a > 1', 'a >= 1'), accepted)).toBeUndefined();
    expect(acceptedAs(mutant('a.ts', 'a > 2', 'a >= 2'), accepted)).toBeUndefined();
  });

  it('are outdated when the line has changed, unless their file was not looked at', () => {
    const accepted = [{ file: 'a.ts', from: 'a > 1', to: 'a >= 1', reason }];
    expect(outdated(accepted, [mutant('a.ts', 'a > 2', 'a >= 2')], ['a.ts'])).toEqual(accepted);
    expect(outdated(accepted, [mutant('a.ts', 'a > 1', 'a >= 1')], ['a.ts'])).toEqual([]);
    expect(outdated(accepted, [], ['b.ts'])).toEqual([]);
  });

  it('are mutants of the sources as they are today, each once and with a reason', async () => {
    const accepted = acceptedSurvivors();
    const sources = PACKAGES.flatMap((of) => sourcesOf(repositoryRoot, of));
    const files = [...new Set(accepted.map(({ file }) => file))];
    expect(files.filter((file) => !sources.includes(file))).toEqual([]);
    const mutants = [];
    for (const file of files) mutants.push(...(await mutate(repositoryRoot, file)).mutants);
    expect(outdated(accepted, mutants, files)).toEqual([]);
    expect(
      accepted.filter((entry) => acceptedAs(mutant(entry.file, entry.from, entry.to), accepted) !== entry),
    ).toEqual([]);
    expect(accepted.filter((entry) => entry.reason.trim() === '')).toEqual([]);
  });
});

it('every suite that is named is there, the package’s own first', () => {
  for (const of of PACKAGES) {
    const suites = suitesOf(repositoryRoot, of);
    expect(suites[0]).toMatch(new RegExp(`^${of.folder}/.*\\.spec\\.ts$`));
    expect(new Set(suites).size).toBe(suites.length);
  }
  expect(() => suitesOf(repositoryRoot, { folder: 'libs/outbox', suites: ['libs/gone.spec.ts'] })).toThrow(
    'libs/gone.spec.ts',
  );
});

it('what was found is there again after a run that was broken off', () => {
  const file = join(root, 'findings/found.jsonl');
  new Findings(file, { resume: false }).add('one', { outcome: 'killed', by: 'a.spec.ts' });
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"key":"two","outc`);
  const again = new Findings(file, { resume: true });
  expect([again.get('one'), again.get('two')]).toEqual([{ outcome: 'killed', by: 'a.spec.ts' }, undefined]);
  expect(new Findings(file, { resume: false }).get('one')).toBeUndefined();
});

it('the end says of each package how many were noticed, and of a survivor what was changed', () => {
  const open = { mutant: mutant('a/a.ts', 'if (x) {', 'if (true) {'), outcome: 'no coverage', by: null };
  const results = [
    { mutant: mutant('a/a.ts', 'x'), outcome: 'killed', by: 'a/a.spec.ts: counts' },
    { mutant: mutant('a/a.ts', 'x'), outcome: 'timed out', by: 'a/a.spec.ts' },
    { mutant: mutant('a/a.ts', 'x'), outcome: 'survived', by: null, reason: 'the same' },
    open,
  ];
  const [, row] = table(results, ['a', 'b']).split('\n');
  expect(row?.trim().split(/ {2,}/)).toEqual(['a', '4', '1', '1', '1', '1', '1', '50 %']);
  expect(survivor(open)).toBe('a/a.ts:1 BooleanLiteral, no coverage, not accepted\n  - if (x) {\n  + if (true) {');
});

it('refuses what it cannot do before anything runs', async () => {
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const word of ['--only=libs/media', '--sample=0', '--sample=many', '--workers=1.5', '--what']) {
    expect([word, await runMutants([word], {})]).toEqual([word, 2]);
    expect(said).toHaveBeenLastCalledWith(expect.stringContaining(word.replace(/=.*/, '')));
  }
});

describe('a suite that is watched', () => {
  const mutated = ['a', 'b'].map((file) => ({
    file,
    watched: '',
    mutants: [1, 2].map((number) => ({ ...mutant(file, 'x'), id: `${file}#${number}` })),
  }));
  /** Reaches one place of one source; `outcomes` are those of its runs. */
  async function watched(name: string, outcomes: string[]) {
    const reached = join(root, name);
    const run = async (_suites: string[], { environment }: { environment?: NodeJS.ProcessEnv }) => {
      const file = environment?.['ADIT_MUTANTS_REACHED'];
      if (file !== undefined) writeFileSync(file, 'a#1\n');
      return { outcome: outcomes.shift(), suite: 's', test: 't', said: 'why' };
    };
    return (await watchSuite('s', { mutated, reached, run, environment: {} })).ids;
  }

  it('says what it reaches; one that watching makes fail is taken to reach all of the source', async () => {
    expect(await watched('well', ['passed'])).toEqual(['a#1']);
    expect(await watched('slow', ['failed', 'passed'])).toEqual(['a#1', 'a#2']);
    await expect(watched('broken', ['failed', 'failed'])).rejects.toThrow('Without any mutant this fails: s: t');
  });
});

describe('suites that run on another text', () => {
  const FILE = 'apps/gateway/auth/token-bucket.ts';
  const SUITE = 'apps/gateway/auth/rate-limits.spec.ts';
  const source = readFileSync(join(repositoryRoot, FILE), 'utf8');

  async function run(text: string, more: NodeJS.ProcessEnv = {}) {
    return await runSuites([SUITE], {
      texts: new Map([[FILE, text]]),
      scratch: root,
      nodeOptions: ['--no-warnings'],
      environment: { ...process.env, ADIT_TEST_SERVERS: 'off', ...more },
    });
  }

  it('say which mutants they reach, and notice one that is wrong, in which test', async () => {
    const { mutants, watched } = await mutate(repositoryRoot, FILE);
    const reached = join(root, 'reached');
    expect(await run(watched, { ADIT_MUTANTS_REACHED: reached })).toMatchObject({
      outcome: 'passed',
      suite: SUITE,
      test: null,
    });
    const ids = readFileSync(reached, 'utf8').split('\n');
    const wrong = mutants.find(({ from, to }) => from.startsWith('has(') && to.endsWith('{}'));
    expect(ids).toContain(wrong?.id);
    expect(await run(wrong?.text ?? '')).toMatchObject({ outcome: 'failed', suite: SUITE, test: expect.any(String) });
    expect(readFileSync(join(repositoryRoot, FILE), 'utf8')).toBe(source);
  });
});
