// npm run mutants: changes the source in one place at a time and looks whether a test notices. Stryker's instrumenter says what can
// be changed. Its runner is not for this repository: a process loads a module once, so a change of what runs while a module loads
// would not be seen, and packages of the workspace resolve to the working tree instead of the copy in which it mutates.
import { availableParallelism, tmpdir } from 'node:os';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TEST_NODE_OPTIONS, openTestServers } from '../setup/test.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { testPrograms } from '../setup/test-programs.mjs';
import { acceptedAs, acceptedSurvivors, outdated } from './accepted.mjs';
import { Findings, digestOf } from './findings.mjs';
import { mutate } from './mutate.mjs';
import { PACKAGES, sourcesOf, suitesOf } from './packages.mjs';
import { line, lives, survivor, table } from './report.mjs';
import { sample } from './sample.mjs';
import { endSuites, runSuites } from './suites.mjs';

const SAMPLE = '400';
const FINDINGS = join(repositoryRoot, 'node_modules/.cache/adit/mutants/findings.jsonl');
/** A suite that takes so much longer with a mutant than without hangs. */
const [PATIENCE_MS, PATIENCE_TIMES] = [30_000, 4];

const USAGE = `Usage: npm run mutants -- [--sample=${SAMPLE}] [--seed=1] [--only=PATH …] [--workers=N] [--resume]
Changes sources of ${PACKAGES.map(({ folder }) => folder).join(', ')}
in one place at a time, never in the working tree, and runs the suites that reach the place. Ends with 1 when a change survives
that tools/mutants/accepted.json does not list with a reason.
  --sample   how many changes, the same for the same seed, as many of each package
  --only     a package, a folder or a file, e.g. libs/leases/fair-task-queue.ts; more than once for several
  --workers  how many run at the same time (default: the cores, 4 at most)
  --resume   goes on where the last run ended; what was found holds for the texts that have not changed since`;

/** Answers the exit code. */
export async function runMutants(args, environment) {
  const options = optionsOf(args);
  if (options === null) return 0;
  if (typeof options === 'string') {
    console.error(`${options}\n${USAGE}`);
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'adit-mutants-'));
  const keeper = await openTestServers(environment);
  const stop = (signal) => process.exit(signal === 'SIGINT' ? 130 : 143);
  const cleanUp = () => {
    endSuites();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on('exit', cleanUp).on('SIGINT', stop).on('SIGTERM', stop);
  try {
    const { ADIT_BUILT: _built, ...rest } = environment;
    // Without a build's mark, processes that suites start run the sources too, and so the mutant.
    const forSuites = { ADIT_TEST_SERVERS: keeper?.url, ...(await testPrograms({ fetch: false })), ...rest };
    const findings = new Findings(FINDINGS, options);
    const run = (suites, more) =>
      runSuites(suites, { scratch, nodeOptions: TEST_NODE_OPTIONS, environment: forSuites, ...more });
    return await measure({ ...options, findings, run, scratch, environment: forSuites });
  } finally {
    process.off('exit', cleanUp).off('SIGINT', stop).off('SIGTERM', stop);
    cleanUp();
    await keeper?.close();
  }
}

/** Null for help, which was given; a text says what is wrong. */
function optionsOf(args) {
  const type = 'string';
  const cores = String(Math.min(availableParallelism(), 4));
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        sample: { type, default: SAMPLE },
        seed: { type, default: '1' },
        only: { type, multiple: true, default: [''] },
        workers: { type, default: cores },
        resume: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    return error.message;
  }
  if (values.help) console.log(USAGE);
  if (values.help) return null;
  const [size, workers] = [Number(values.sample), Number(values.workers)];
  for (const [name, number] of Object.entries({ sample: size, workers })) {
    if (!Number.isInteger(number) || number < 1)
      return `--${name} is "${values[name]}" and has to be a whole number from 1.`;
  }
  const only = values.only.map((path) => path.replace(/\/$/, ''));
  const named = PACKAGES.map((of) => ({
    ...of,
    files: sourcesOf(repositoryRoot, of).filter((file) => isIn(file, only)),
  }));
  const packages = named.filter(({ files }) => files.length > 0);
  const nowhere = only.find((path) => !packages.some(({ files }) => files.some((file) => isIn(file, [path]))));
  if (nowhere !== undefined) return `--only=${nowhere} names no source of these packages.`;
  return { size, workers, seed: values.seed, resume: values.resume, packages };
}

const isIn = (file, paths) => paths.some((path) => path === '' || file === path || file.startsWith(`${path}/`));

async function measure({ size, seed, packages, workers, findings, run, scratch, environment }) {
  const lots = [];
  for (const { folder, files, ...of } of packages) {
    console.log(`${folder}: ${files.length} sources …`);
    const mutated = [];
    for (const file of files) mutated.push({ file, ...(await mutate(repositoryRoot, file)) });
    lots.push({ folder, files, suites: suitesOf(repositoryRoot, { folder, ...of }), mutated });
  }
  const all = lots.map(({ mutated }) => mutated.flatMap(({ mutants }) => mutants));
  const chosen = sample(all, { seed, size });
  console.log(`${chosen.length} of ${all.flat().length} mutants, seed ${seed}.`);
  const reach = await watchSuites({ lots, chosen, workers, findings, run, scratch, environment });
  const accepted = acceptedSurvivors();
  const results = [];
  await inParallel(chosen, workers, async (mutant) => {
    const suites = reach.suitesOf(mutant);
    const result = { mutant, ...(await tryMutant(mutant, { suites, reach, findings, run })) };
    if (lives(result)) result.reason = acceptedAs(mutant, accepted)?.reason;
    results.push(result);
    console.log(line(result, results.length, chosen.length));
  });
  const stale = outdated(
    accepted,
    all.flat(),
    lots.flatMap(({ files }) => files),
  );
  return conclude(
    results,
    stale,
    lots.map(({ folder }) => folder),
  );
}

/** Runs each suite once without any mutant: what it reaches, and how long it takes. */
async function watchSuites({ lots, chosen, workers, findings, run, scratch, environment }) {
  const wanted = lots.filter(({ folder }) => chosen.some(({ file }) => file.startsWith(`${folder}/`)));
  const tasks = wanted.flatMap(({ files, suites, mutated }) => suites.map((suite) => ({ suite, files, mutated })));
  const seen = new Map();
  let done = 0;
  await inParallel(tasks, workers, async ({ suite, files, mutated }) => {
    const key = `suite ${suite} ${digestOf(repositoryRoot, { files: [suite, ...files] })}`;
    let found = findings.get(key);
    if (found === undefined) {
      const number = tasks.findIndex((task) => task.suite === suite && task.files === files);
      found = await watchSuite(suite, { mutated, reached: join(scratch, `reached-${number}`), run, environment });
      findings.add(key, found);
    }
    for (const id of found.ids) seen.set(id, [...(seen.get(id) ?? []), { suite, ms: found.ms }]);
    console.log(
      `${++done}/${tasks.length} ${suite} reaches ${found.ids.length} mutants in ${Math.round(found.ms / 1000)} s`,
    );
  });
  const times = new Map([...seen.values()].flat().map(({ suite, ms }) => [suite, ms]));
  return {
    limitMs: (suite) => PATIENCE_MS + PATIENCE_TIMES * (times.get(suite) ?? 0),
    /** The quickest first. */
    suitesOf: ({ id }) => [...(seen.get(id) ?? [])].sort((a, b) => a.ms - b.ms).map(({ suite }) => suite),
  };
}

/**
 * Measures the time of a suite and the mutants that it reaches. Coverage counting slows loops down, so a suite that fails is run
 * once more without it, and then counts as reaching all mutants of each source that it had reached.
 */
export async function watchSuite(suite, { mutated, reached, run, environment }) {
  let began = performance.now();
  const texts = new Map(mutated.map(({ file, watched }) => [file, watched]));
  let ended = await run([suite], { texts, environment: { ...environment, ADIT_MUTANTS_REACHED: reached } });
  const isWatched = ended.outcome === 'passed';
  if (!isWatched) {
    began = performance.now();
    ended = await run([suite], { texts: new Map() });
  }
  const { outcome, test, said } = ended;
  if (outcome !== 'passed') throw new Error(`Without any mutant this fails: ${suite}: ${test}\n${said}`);
  const seen = new Set(existsSync(reached) ? readFileSync(reached, 'utf8').split('\n') : []);
  const ids = mutated.flatMap(({ mutants }) => {
    const here = mutants.filter(({ id }) => seen.has(id));
    return !isWatched && here.length > 0 ? mutants : here;
  });
  return { ms: Math.round(performance.now() - began), ids: ids.map(({ id }) => id) };
}

/** Reuses an earlier finding while the suite that noticed the mutant is unchanged, or for a survivor, while all suites are. */
async function tryMutant(mutant, { suites, reach, findings, run }) {
  if (suites.length === 0) return { outcome: 'no coverage', by: null };
  const key = `mutant ${mutant.file} ${digestOf(repositoryRoot, { texts: [mutant.text] })}`;
  const known = findings.get(key);
  if (known !== undefined && digestOf(repositoryRoot, { files: known.suite ? [known.suite] : suites }) === known.of)
    return known;
  const { outcome, suite, test } = await run(suites, {
    texts: new Map([[mutant.file, mutant.text]]),
    limitMs: reach.limitMs,
  });
  const found = {
    outcome: { passed: 'survived', failed: 'killed' }[outcome] ?? outcome,
    ...(outcome !== 'passed' && { suite }),
    by: outcome === 'passed' ? null : [suite, test].filter(Boolean).join(': '),
    of: digestOf(repositoryRoot, { files: outcome === 'passed' ? [...suites].sort() : [suite] }),
  };
  findings.add(key, found);
  return found;
}

function conclude(results, stale, folders) {
  const alive = results.filter(lives).sort((a, b) => (a.mutant.file < b.mutant.file ? -1 : 1));
  for (const result of alive) console.log(`\n${survivor(result)}`);
  for (const { file, from, to } of stale) {
    console.log(
      `\n${file}: tools/mutants/accepted.json lists what is no mutant of it any more\n  - ${from}\n  + ${to}`,
    );
  }
  console.log(`\n${table(results, folders)}`);
  const open = alive.filter(({ reason }) => reason === undefined);
  console.log(`${open.length} survivors without a reason, ${stale.length} reasons without a mutant.`);
  return open.length + stale.length > 0 ? 1 : 0;
}

async function inParallel(items, workers, work) {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
