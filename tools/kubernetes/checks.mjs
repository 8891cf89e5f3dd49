// What a run shows: a line for each thing that was tried, with a tick or a cross.

/** A thing that is not as it should be; `message` is for the person who reads the run. */
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
   * Runs `work`, which may answer a remark, and writes how it went. What comes after a failure would only repeat it: it is
   * thrown on.
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
