'use strict';
const NativeEnvironment = require('../testing/environment.cjs');

/** Tells whoever started this process which suite begins and which test fails first; what comes after that is skipped. */
module.exports = class TellingEnvironment extends NativeEnvironment {
  constructor(config, context) {
    super(config, context);
    this.suite = context.testPath;
    this.failed = false;
    process.send?.({ suite: this.suite });
  }

  /** Hooks still run, so that a suite removes what it made. */
  handleTestEvent({ name, test }) {
    if (name === 'test_start' && this.failed) test.mode = 'skip';
    if (name !== 'test_done' || test.errors.length === 0 || this.failed) return;
    this.failed = true;
    process.send?.({ suite: this.suite, failed: titleOf(test) });
  }

  /** No other suite has to run; jest itself would begin the next. */
  async teardown() {
    await super.teardown();
    if (this.failed) process.exit(1);
  }
};

function titleOf({ name, parent }) {
  return parent === undefined || parent.name === 'ROOT_DESCRIBE_BLOCK' ? name : `${titleOf(parent)} ${name}`;
}
