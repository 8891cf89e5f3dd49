import { zip } from '@adit/contracts';

/** Runs rows together and returns their answers in order. */
type RunBatch<In, Out> = (rows: In[]) => Promise<Out[]>;

interface BatcherOptions<In> {
  /** Most rows of one run. */
  maxBatch: number;
  /** Rows run together only when their keys are equal, e.g. their shapes. */
  key?: (row: In) => string;
  /** Milliseconds that a run waits for more rows when it is not full. 0: queued rows run at once. */
  maxDelayMs?: number;
  /** Concurrent runs: above 1 the next one is ready when the network has finished the one before. */
  concurrency?: number;
  onBatch?: (size: number) => void;
}

interface Waiting<In, Out> {
  row: In;
  key: string;
  resolve: (out: Out) => void;
  reject: (error: unknown) => void;
}

/**
 * Joins the rows of concurrent callers into runs. By default one run goes at a time; when it ends, the next takes the
 * queue, so a lone caller never waits and concurrent callers fill the batch. A failed run is repeated row by row, so
 * that only the bad row fails.
 */
export class Batcher<In, Out> {
  private queue: Waiting<In, Out>[] = [];
  private draining = 0;

  constructor(
    private readonly runBatch: RunBatch<In, Out>,
    private readonly options: BatcherOptions<In>,
  ) {}

  run(row: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.queue.push({ row, key: this.options.key?.(row) ?? '', resolve, reject });
      if (this.draining >= (this.options.concurrency ?? 1)) return;
      this.draining++;
      void this.drain();
    });
  }

  private async drain(): Promise<void> {
    // Callers in the same turn of the event loop join the first run.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const { maxBatch, maxDelayMs = 0 } = this.options;
      if (maxDelayMs > 0 && this.queue.length < maxBatch) await new Promise((done) => setTimeout(done, maxDelayMs));
      const batch = this.take(maxBatch);
      if (batch.length === 0) break;
      this.options.onBatch?.(batch.length);
      await this.execute(batch);
    }
    this.draining--;
  }

  /** Takes the first row and the following ones that can run with it. */
  private take(maxBatch: number): Waiting<In, Out>[] {
    const key = this.queue[0]?.key;
    const batch: Waiting<In, Out>[] = [];
    const left: Waiting<In, Out>[] = [];
    for (const waiting of this.queue) (batch.length < maxBatch && waiting.key === key ? batch : left).push(waiting);
    this.queue = left;
    return batch;
  }

  private async execute(batch: Waiting<In, Out>[]): Promise<void> {
    try {
      const outs = await this.runBatch(batch.map((waiting) => waiting.row));
      if (outs.length !== batch.length) throw new Error(`A run of ${batch.length} rows gave ${outs.length} answers.`);
      for (const [waiting, out] of zip(batch, outs)) waiting.resolve(out);
    } catch (error) {
      for (const waiting of batch) {
        if (batch.length === 1) waiting.reject(error);
        else await this.execute([waiting]);
      }
    }
  }
}
