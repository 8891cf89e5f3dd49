'use strict';
// The environment of specs: Node itself, without a realm of its own. So native code, such as ONNX Runtime, gets the typed
// arrays that it knows.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

module.exports = class NativeEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.console = globalThis.console;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.console;
  }

  exportConditions() {
    return ['@adit/source', 'node'];
  }

  /** There is no context beside the process's own. */
  getVmContext() {
    return null;
  }
};
