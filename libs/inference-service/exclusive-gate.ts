/**
 * Gate for work that may run together and work that has to run alone: a suspect waits until the gate is empty, and
 * later work waits for it. First come, first served, so that neither kind starves the other.
 */
export class ExclusiveGate {
  private readonly queue: { alone: boolean; enter: () => void }[] = [];
  private inside = 0;
  private occupied = false;

  async run<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      this.queue.push({ alone, enter });
      this.admit();
    });
    try {
      return await work();
    } finally {
      this.inside--;
      this.occupied = false;
      this.admit();
    }
  }

  private admit(): void {
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      if (this.occupied || (first.alone && this.inside > 0)) return;
      this.queue.shift();
      this.inside++;
      this.occupied = first.alone;
      first.enter();
    }
  }
}
