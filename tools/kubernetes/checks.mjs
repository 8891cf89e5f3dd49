// The output of a run: a line for each check, with a tick or a cross.

/** A failed expectation; `message` is for the person who reads the run. */
export class CheckFailure extends Error {}

export class Checks {
  #failed = 0;
  #done = 0;
  #write;

  constructor(write = (line) => console.log(line)) {
    this.#write = write;
  }

  get failed() {
    return this.#failed;
  }

  get done() {
    return this.#done;
  }

  /**
   * Runs `work`, which may answer a remark, and writes the outcome. A failure is thrown on: later checks would only repeat it.
   *
   * @param {string} title
   * @param {() => Promise<string | void>} work
   */
  async check(title, work) {
    const started = performance.now();
    const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
    try {
      const remark = await work();
      this.#done += 1;
      this.#write(`✓ ${title} (${seconds()})${remark ? `: ${remark}` : ''}`);
    } catch (error) {
      this.#failed += 1;
      this.#write(`✗ ${title} (${seconds()})`);
      for (const line of error.message.trim().split('\n')) this.#write(`    ${line}`);
      throw error;
    }
  }

  /** @param {boolean} holds @param {string} message */
  static expect(holds, message) {
    if (!holds) throw new CheckFailure(message);
  }
}
