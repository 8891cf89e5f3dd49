'use strict';
/**
 * How jest's workers load specs: as Node does, modules once for all the suites of a worker. Loading them anew for each of
 * four hundred suites took most of the time that tests took. What jest asks of a runtime is in jest-runner's `runTest` and
 * in the adapter of jest-circus, which runs the tests of a suite and is made anew for each.
 */
const { register } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');

let hooked = false;
let compiler;

/** For the stacks of what fails: by a module's address, or its path, the file with its source map. */
class SourceMaps extends Map {
  get(module) {
    const path = module.startsWith('file:') ? fileURLToPath(module) : module.replace(/\?.*$/, '');
    return path.endsWith('.ts') ? compiler?.sourceMapOf(path) : undefined;
  }
}

module.exports = class NativeRuntime {
  constructor(_config, environment) {
    this.environment = environment;
    if (!hooked) register('./module-hooks.mjs', pathToFileURL(__filename));
    hooked = true;
  }

  /** jest-circus keeps the state of one suite in its module. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A suite that runs again, as in watch mode, is another module by its query. */
  async unstable_importModule(path) {
    compiler ??= await this.nativeImport(join(__dirname, '../../libs/testing/compile.mjs'));
    const { bind } = await this.nativeImport(join(__dirname, 'globals.mjs'));
    bind({ ...this.globals, jest: this.jestObject() });
    return await this.nativeImport(path, `?run=${Date.now()}`);
  }

  nativeImport(path, query = '') {
    return import(pathToFileURL(path).href + query);
  }

  setGlobalsForRuntime(globals) {
    this.globals = globals;
  }

  /** Of jest's object what specs here use; a module is never replaced. */
  jestObject() {
    const { moduleMocker: mocks, fakeTimersModern: timers } = this.environment;
    return {
      fn: mocks.fn.bind(mocks),
      spyOn: mocks.spyOn.bind(mocks),
      restoreAllMocks: () => mocks.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
      advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
    };
  }

  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}

  getSourceMaps() {
    return new SourceMaps();
  }

  getAllCoverageInfoCopy() {
    return {};
  }
};
