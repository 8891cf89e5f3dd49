/** Something that is never done twice at once, such as reading what is shown. */
export class OneAtATime {
  private running: Promise<void> | null = null;
  private next: Promise<void> | null = null;

  constructor(private readonly act: () => Promise<void>) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /**
   * Does it, or once more after what runs, however often that is asked meanwhile: what runs may have missed what is asked for.
   * Resolves with a run that began after the call.
   */
  run(): Promise<void> {
    if (this.next !== null) return this.next;
    if (this.running === null) return this.begin();
    const begin = (): Promise<void> => this.begin();
    this.next = this.running.then(begin, begin);
    return this.next;
  }

  private begin(): Promise<void> {
    this.next = null;
    this.running = this.act().finally(() => {
      this.running = null;
    });
    return this.running;
  }
}
