import { MultiBar, type SingleBar } from 'cli-progress';

/** Between two lines on one thing where no terminal shows bars. */
const SAID_AGAIN_MS = 30_000;

/**
 * Shows how far things are: live bars on a terminal; elsewhere a line when a thing begins, one when it is done, and one every
 * half a minute in between. On stderr.
 */
export class Progress {
  private readonly bars = new Map<string, SingleBar>();
  private readonly said = new Map<string, { at: number; isDone: boolean }>();
  private multi: MultiBar | null = null;

  constructor(
    private readonly out: NodeJS.WriteStream = process.stderr,
    private readonly quiet = false,
  ) {}

  /** Shows the progress of a thing, 0..1, with its state behind the bar. */
  show(name: string, share: number, state = ''): void {
    const percent = Math.floor(share * 100);
    if (this.quiet) return;
    if (this.out.isTTY) {
      this.multi ??= multiBar(this.out);
      const bar = this.bars.get(name) ?? this.multi.create(100, 0, { name, state });
      this.bars.set(name, bar);
      bar.update(percent, { name, state });
    } else {
      this.say(name, percent);
    }
  }

  private say(name: string, percent: number): void {
    const last = this.said.get(name);
    const isDone = percent >= 100;
    const now = Date.now();
    if (last !== undefined && (last.isDone || (!isDone && now - last.at < SAID_AGAIN_MS))) return;
    this.said.set(name, { at: now, isDone });
    this.out.write(`${name}: ${isDone ? 'done' : last === undefined ? 'begun' : `${percent} %`}\n`);
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
