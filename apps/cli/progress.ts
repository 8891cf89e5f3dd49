import { MultiBar, type SingleBar } from 'cli-progress';

/** Shows how far things are: live bars on a terminal, a line per tenth elsewhere. On stderr. */
export class Progress {
  private readonly bars = new Map<string, SingleBar>();
  private readonly said = new Map<string, number>();
  private multi: MultiBar | null = null;

  constructor(
    private readonly out: NodeJS.WriteStream = process.stderr,
    private readonly quiet = false,
  ) {}

  /** How far the thing of that name is, 0..1; a word on its state stands behind its bar. */
  show(name: string, share: number, state = ''): void {
    const percent = Math.floor(share * 100);
    if (this.quiet) return;
    if (this.out.isTTY) {
      this.multi ??= multiBar(this.out);
      const bar = this.bars.get(name) ?? this.multi.create(100, 0, { name, state });
      this.bars.set(name, bar);
      bar.update(percent, { name, state });
    } else {
      const tenth = Math.floor(percent / 10);
      if ((this.said.get(name) ?? -1) >= tenth) return;
      this.said.set(name, tenth);
      this.out.write(`${name}: ${percent} %\n`);
    }
  }

  /** Leaves the bars as they are and gives the terminal back. */
  stop(): void {
    this.multi?.stop();
    this.multi = null;
    this.bars.clear();
  }
}

function multiBar(stream: NodeJS.WriteStream): MultiBar {
  return new MultiBar({
    format: '{bar} {percentage} %  {name}  {state}',
    barCompleteChar: '━',
    barIncompleteChar: '─',
    barsize: 32,
    hideCursor: true,
    clearOnComplete: false,
    stream,
    autopadding: true,
  });
}
