// The whole repository's tests through jest, and a last line that says how they went.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { forTests, program, schemaFolder } from '../kubernetes/index.mjs';
import { prepareServer, kinds } from '../servers/index.mjs';
import { openKeeper } from '../servers/keeper.mjs';
import { binOf, runProgram } from './program.mjs';
import { repositoryRoot } from './places.mjs';
import { Step } from './step.mjs';
import { ensureFfmpegVersion } from './steps/ffmpeg-versions.mjs';
import { ensureNode } from './steps/node.mjs';
import { testPrograms } from './test-programs.mjs';
import { longSpecs } from '../testing/needs.mjs';
import { timesOption, writeTimes } from '../testing/times.mjs';

/**
 * Suites load thousands of modules and let them go again: with more room for what is young, a tenth less CPU. Most of them use
 * the embedded database for seconds: optimising its WebAssembly takes longer than is saved, a fifth of their CPU.
 */
export const TEST_NODE_OPTIONS = ['--no-warnings', '--max-semi-space-size=32', '--liftoff-only'];

/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;

const MIGRATED = 'adit_migrated';

/** Suites that jest skips on another Node: end-to-end suites, and those that its configuration skips. */
const UNIT_PART = ['--testPathIgnorePatterns', '/node_modules/', '/dist/', '\\.e2e\\.spec\\.'];

/** Suites that run with another ffmpeg if no files are named: exactness, decoding, sound and confinement may differ. */
const MEDIA_PART = ['libs/media/', 'libs/transcripts/formats/', 'apps/decoder/'];

/**
 * Runs jest with `args` passed on; answers its exit code. `long` says which suites that need time run: those that are
 * named ('named', the default), 'only' these or 'none'. After `--node <major>` it runs on that Node, end-to-end suites
 * only where files are named; after `--ffmpeg <major>` or `newest` with that ffmpeg, only suites of media where none are. Servers start when the first spec asks for them; their programs are fetched before a whole
 * run, and for a run of named files only when one of those asks. ADIT_TEST_SERVERS=off: none are started. With
 * `--times=<file>` a page says where the time went.
 */
export async function runTests(words, environment, { long = 'named' } = {}) {
  const began = performance.now();
  const { times, rest: given } = timesOption(words);
  const other = given[0] === '--node' ? await ensureNode(new Step(), given[1]) : undefined;
  const ffmpeg = given[0] === '--ffmpeg' ? await otherFfmpeg(given[1]) : {};
  const args = other === undefined && ffmpeg.ADIT_FFMPEG === undefined ? given : given.slice(2);
  if (ffmpeg.ADIT_FFMPEG !== undefined && args.every((arg) => arg.startsWith('-'))) args.push(...MEDIA_PART);
  const whole = args.every((arg) => arg.startsWith('-'));
  const scratch = mkdtempSync(join(tmpdir(), 'adit-test-'));
  const summary = join(scratch, 'summary.json');
  const keeper = await openTestServers(environment);
  try {
    if (keeper !== null && whole) await prepareServers(environment);
    if (whole && other === undefined) await prepareChart();
    const programs = await testPrograms({ fetch: whole && other === undefined });
    const preparedSeconds = secondsSince(began);
    const path = other === undefined ? environment.PATH : [dirname(other), environment.PATH].join(delimiter);
    const code = await runProgram(
      [...TEST_NODE_OPTIONS, binOf('jest'), ...args, ...(other !== undefined && whole ? UNIT_PART : [])],
      {
        ADIT_TEST_SERVERS: keeper?.url,
        ...programs,
        ADIT_BUILT: '1',
        ADIT_TEST_LONG: long === 'named' && whole ? 'none' : long,
        ...environment,
        ...ffmpeg,
        PATH: path,
        ADIT_TEST_SUMMARY: summary,
      },
      { cwd: repositoryRoot, node: other },
    );
    if (times !== undefined) writeTimes(summary, times, { preparedSeconds, wholeSeconds: secondsSince(began) });
    const leftOut = long === 'named' && whole ? longSpecs(repositoryRoot).length : 0;
    return report(code, summary, { missing: keeper?.missing ?? new Map(), leftOut });
  } finally {
    await keeper?.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The variables that name it, for suites and their children. */
async function otherFfmpeg(version) {
  const { ffmpeg, ffprobe } = await ensureFfmpegVersion(new Step(), version);
  console.error(execFileSync(ffmpeg, ['-version'], { encoding: 'utf8' }).split('\n', 1)[0]);
  return { ADIT_FFMPEG: ffmpeg, ADIT_FFPROBE: ffprobe };
}

/** Gives servers to specs that ask; null where ADIT_TEST_SERVERS names others, or none. Whoever opens it closes it. */
export async function openTestServers(environment) {
  return environment.ADIT_TEST_SERVERS ? null : await openKeeper({ populate: { postgres: migratedDatabase } });
}

function secondsSince(began) {
  return (performance.now() - began) / 1000;
}

/** The suites that need nothing but the packages; `args` go to jest, such as `--watch`. Answers the exit code. */
export async function runUnitTests(args, environment) {
  const config = join(repositoryRoot, 'tools/testing/unit.config.mjs');
  return await runProgram([...TEST_NODE_OPTIONS, binOf('jest'), '--config', config, ...args], environment, {
    cwd: repositoryRoot,
  });
}

/**
 * The tests of the packages that a change reaches, by Nx: what is not committed, and commits since the branch `--base`
 * (default: main; on main its upstream). As `npm test`, where a file changed that belongs to no package.
 */
export async function runChangedTests(args, environment) {
  const { changedFolders, usualBase } = await import('../testing/changed.mjs');
  const given = args.findIndex((arg) => arg.startsWith('--base='));
  const [base] = given < 0 ? [] : args.splice(given, 1);
  const since = base?.slice('--base='.length) ?? usualBase();
  const folders = changedFolders(since);
  if (folders === null) console.error(`What changed since ${since} may reach every package: all tests run.`);
  else if (folders.length === 0) {
    console.error(`Nothing that has tests changed since ${since}.`);
    return 0;
  } else console.error(`Changed since ${since}, tests of ${folders.join(', ')}.`);
  return await runTests([...args, ...(folders ?? []).map((folder) => `${folder}/`)], environment, { long: 'none' });
}

/** A database that specs copy instead of migrating their own. */
async function migratedDatabase({ url }) {
  const { queryDatabase } = await import('../../libs/testing/dist/fresh-database.js');
  const migrated = new URL(url);
  migrated.pathname = `/${MIGRATED}`;
  await queryDatabase(url, `CREATE DATABASE ${MIGRATED}`);
  const environment = { ...process.env, DATABASE_DRIVER: 'postgres', DATABASE_URL: migrated.href };
  const migrate = [join(repositoryRoot, 'apps/cli/dist/main.js'), 'migrate'];
  const code = await runProgram(migrate, environment, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (code !== 0) throw new Error(`The migrations of the specs' database ended with ${code}.`);
  return { migrated: MIGRATED };
}

async function prepareServers(environment) {
  const wanted = Object.values(kinds).filter((kind) => kind.given(environment) === null);
  // Specs report the servers that they miss.
  await Promise.allSettled(wanted.map(({ name }) => prepareServer(name)));
}

/** One after the other, since they share most of the compilation. Specs report the programs that they miss. */
async function prepareChart() {
  for (const name of forTests) await program(name).catch(() => undefined);
  await schemaFolder().catch(() => undefined);
}

/** `missing`: reasons by name of the servers that specs asked for in vain; `leftOut`: how many suites that need time. */
function report(code, file, { missing, leftOut }) {
  if (code === INTERRUPTED) {
    console.log('Interrupted: nothing is counted.');
    return code;
  }
  let summary;
  try {
    summary = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Jest ended before it could count: a wrong argument, or a crash.
    console.log('0 passed, 1 failed, 0 skipped');
    return code || 1;
  }
  const { passed, failed, skipped, skippedSuites } = summary;
  for (const suite of skippedSuites) {
    // A suite that skips says why in its title, e.g. "the Kafka bus (skipped: no kafka: Java is not installed …)".
    console.log(`SKIPPED ${suite.tests} of ${relative(repositoryRoot, suite.file)}: ${suite.reasons.join('; ')}`);
  }
  for (const [name, reason] of missing) {
    const suites = skippedSuites.filter(({ reasons }) => reasons.some((title) => title.includes(`no ${name}: `)));
    console.log(`NO ${name.toUpperCase()}: ${suites.length} suites did not run. ${reason}`);
  }
  if (leftOut > 0) console.log(`LEFT OUT ${leftOut} long suites: npm run test:long`);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 ? code || 1 : code;
}
