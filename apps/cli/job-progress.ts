import { MultiBar, type SingleBar } from 'cli-progress';
import type { Job } from '@adit/contracts';

/** Shows how far each module of a job is: live bars on a terminal, a line per tenth elsewhere. On stderr. */
export class JobProgress {
  private readonly bars = new Map<string, SingleBar>();
  private readonly said = new Map<string, number>();
  private readonly multi: MultiBar | null;

  constructor(
    private readonly out: NodeJS.WriteStream = process.stderr,
    private readonly quiet = false,
  ) {
    this.multi =
      out.isTTY && !quiet
        ? new MultiBar({
            format: '{bar} {percentage} %  {module}  {state}',
            barCompleteChar: '━',
            barIncompleteChar: '─',
            barsize: 32,
            hideCursor: true,
            clearOnComplete: false,
            stream: out,
            autopadding: true,
          })
        : null;
  }

  update(job: Job): void {
    for (const [id, { state, progress }] of Object.entries(job.modules)) {
      const percent = Math.floor(progress * 100);
      const module = id.replaceAll('_', ' ');
      if (this.multi !== null) {
        const bar = this.bars.get(id) ?? this.multi.create(100, 0, { module, state });
        this.bars.set(id, bar);
        bar.update(percent, { module, state });
      } else if (!this.quiet) {
        const tenth = Math.floor(percent / 10);
        if ((this.said.get(id) ?? -1) >= tenth) continue;
        this.said.set(id, tenth);
        this.out.write(`${module}: ${percent} %\n`);
      }
    }
  }

  /** Leaves the bars as they are and gives the terminal back. */
  stop(): void {
    this.multi?.stop();
  }
}
