// Commands behind the npm scripts: the set-up that each needs and the program that it runs.
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { repositoryRoot } from './places.mjs';
import { runProgram } from './program.mjs';
import { asksForHelp, usageOf } from './usage.mjs';

const EVERYTHING = ['packages', 'ffmpeg', 'build', 'weights'];

const standalone = join(repositoryRoot, 'apps/cli/dist/main.js');

/** Every command takes its arguments and answers the exit code. */
export const commands = {
  async setup(args) {
    if (asksForHelp(args)) return usageOf('setup');
    const { ran } = await prepare(EVERYTHING);
    console.error(ran.length === 0 ? 'Everything is set up.' : 'Set-up done. Next: npm run mine');
    return 0;
  },
  mine: (args) => engine(['mine', ...args]),
  start: (args) => engine(['start', ...args]),
  adit: (args) => engine(args),
  bench: (args) => program('tools/bench/run.mjs', args),
  simulate: (args) => program('tools/simulate/run.mjs', args),
  eval: (args) => program('tools/eval/run.mjs', args),
  exports: (args) => program('tools/exports/run.mjs', args),
  fuzz: (args) => program('tools/fuzz/run.mjs', args),
  async docs(args) {
    const code = await program('apps/standalone/dist/write-docs.js', args);
    if (code !== 0) return code;
    const { writeHardening } = await import('../docs/hardening.mjs');
    await writeHardening();
    return program('tools/docs/write-metrics.mjs', args);
  },
  async servers(args) {
    // Servers alone do without packages.
    if (args.some((arg) => arg === '--check' || arg === '--matrix')) await prepare(['packages', 'build']);
    const { runServers } = await import('../servers/run.mjs');
    return await runServers(args);
  },
  stack: tool('../stack/run.mjs', 'runStack'),
  chaos: tool('../chaos/run.mjs', 'runChaosCommand'),
  upgrade: tool('../chaos/upgrade-run.mjs', 'runUpgradeCommand'),
  'sdk-check': tool('../sdk-check/run.mjs', 'runSdkCheck'),
  journeys: tool('../journeys/run.mjs', 'runJourneys'),
  chart: tool('../kubernetes/run.mjs', 'runChart'),
  async publish(args) {
    const { environment } = await prepare(['packages']);
    Object.assign(process.env, environment);
    const { runPublish } = await import('../publish/run.mjs');
    return await runPublish(args);
  },
  async release(args) {
    // The hooks of the commit are packages.
    const { environment } = await prepare(['packages']);
    Object.assign(process.env, environment);
    const { runRelease } = await import('../release/run.mjs');
    return await runRelease(args);
  },
  async mutants(args) {
    const { environment } = await setUp(args);
    const { runMutants } = await import('../mutants/run.mjs');
    return await runMutants(args, environment);
  },
  async test(args) {
    if (asksForHelp(args)) return usageOf('test');
    const { environment } = await prepare(EVERYTHING);
    const { runTests } = await import('./test.mjs');
    return await runTests(args, environment);
  },
  async 'test:long'(args) {
    if (asksForHelp(args)) return usageOf('test:long');
    const { environment } = await prepare(EVERYTHING);
    const { runTests } = await import('./test.mjs');
    return await runTests(args, environment, { long: 'only' });
  },
  async 'test:unit'(args) {
    if (asksForHelp(args)) return usageOf('test:unit');
    const { environment } = await prepare(['packages']);
    const { runUnitTests } = await import('./test.mjs');
    return await runUnitTests(args, environment);
  },
  async 'test:changed'(args) {
    if (asksForHelp(args)) return usageOf('test:changed');
    const { environment } = await prepare(EVERYTHING);
    const { runChangedTests } = await import('./test.mjs');
    return await runChangedTests(args, environment);
  },
  dev: tool('../dev/run.mjs', 'runDev'),
  async lint(args) {
    if (asksForHelp(args)) return usageOf('lint');
    const { environment } = await prepare(['packages']);
    const { runLint } = await import('./lint.mjs');
    return await runLint(args, environment);
  },
};

/** A tool that runs in this process, with what was set up in its environment. */
function tool(file, run) {
  return async (args) => {
    const { environment } = await setUp(args);
    Object.assign(process.env, environment);
    const found = await import(file);
    return await found[run](args);
  };
}

/** Help waits for no build: that of the last one will do, and on a bare clone the packages and a build are made. */
async function setUp(args, options) {
  return asksForHelp(args)
    ? await prepare(['packages', 'build'], { anyAge: true })
    : await prepare(EVERYTHING, options);
}

async function engine(args) {
  // The doctor has to be able to say what is missing, so nothing it reports on may stop it from running.
  const tolerate = args[0] === 'doctor' ? ['ffmpeg', 'weights'] : [];
  const { environment } = await setUp(args, { tolerate });
  // The channel tells the engine when this process is gone, however that ended.
  return await runProgram([standalone, ...args], environment, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
}

async function program(file, args) {
  const { environment } = await setUp(args);
  return await runProgram([join(repositoryRoot, file), ...args], environment);
}
