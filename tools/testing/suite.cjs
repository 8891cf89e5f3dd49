'use strict';
/**
 * Runs one suite, by jest-circus, in a worker that other suites run in before and after it. What the suite changes of the
 * process is put back, what the product logs is kept and shown only where something failed, and what it cost is told.
 */
const { default: circus } = require('jest-circus/runner');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Of what a suite logs, the last characters. */
const LOG_CHARACTERS = 20_000;

const COSTS = Symbol.for('adit.test-costs');

// Node ignores SIGPIPE until the last listener of it is taken away, which is what commands do that a suite runs; from then on
// a socket that somebody closed would end the worker.
process.on('SIGPIPE', () => undefined);

// A worker whose suites loaded models and databases has nothing left to do, and yet takes a while to give its memory back piece by
// piece: jest would call that a leak, and end it by force after half a second. What wants to be told of the end has been told by then.
if (/jest-worker/.test(process.argv[1] ?? '')) {
  process.once('beforeExit', () => process.once('exit', () => process.kill(process.pid, 'SIGKILL')));
}

module.exports = async function runSuite(globalConfig, config, environment, runtime, path, send) {
  const before = cpuSeconds();
  const kept = { env: { ...process.env }, exit: process.exit, directory: process.cwd() };
  const log = await collectLog(runtime);
  // libs/testing/test-costs.ts counts in it.
  for (const kind of Object.keys((globalThis[COSTS] ??= {}))) delete globalThis[COSTS][kind];
  try {
    const result = await circus(globalConfig, config, environment, runtime, path, send);
    if (result.failureMessage) result.failureMessage += log();
    result.perfStats.cpu = cpuSeconds() - before;
    result.perfStats.costs = { ...globalThis[COSTS] };
    await assertHealthIsLeftAlone(runtime);
    return result;
  } catch (error) {
    // Circus never sees what keeps a suite from loading.
    if (error instanceof Error && error.stack !== undefined) error.stack += log();
    throw error;
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in kept.env)) delete process.env[name];
    Object.assign(process.env, kept.env);
    process.exit = kept.exit;
    process.exitCode = undefined;
    process.chdir(kept.directory);
  }
};

/** Lets the product log into memory; answers what tells the end of it. */
async function collectLog(runtime) {
  const { configureLogging } = await runtime.nativeImport(join(__dirname, '../../libs/runtime/logging/logger.ts'));
  let lines = '';
  const write = (line) => void (lines = (lines + line).slice(-LOG_CHARACTERS));
  configureLogging({ level: process.env.ADIT_LOG_LEVEL ?? 'info', format: 'pretty', to: { write } });
  return () => (lines === '' ? '' : `\n  What was logged:\n${lines.replace(/^/gm, '    ')}\n`);
}

/** Suites after this one ask the same process's health: one that ends, or a check of a dead thing, would fail them. */
async function assertHealthIsLeftAlone(runtime) {
  const { health } = await runtime.nativeImport(join(__dirname, '../../libs/runtime/health.ts'));
  const { state, checks } = await health.readyz();
  const left = checks.map(({ name }) => `the check "${name}"`);
  if (state === 'stopping') left.push('the state "stopping"');
  if (left.length > 0) throw new Error(`The suite leaves in the health of the process: ${left.join(', ')}.`);
}

/** Of this process and of all that it started and that has ended. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + endedChildrenSeconds();
}

/** In hundredths of a second, as Linux counts; elsewhere none. */
function endedChildrenSeconds() {
  try {
    // The name of the program stands in parentheses and may hold anything.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}
