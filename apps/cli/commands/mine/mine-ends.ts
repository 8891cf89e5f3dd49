import type { Job } from '@adit/client';
import { fileNameOf } from '@adit/contracts';
import type { LeftOut } from './folder-media.js';
import type { SourceGroup } from './mine-sources.js';
import { EXIT_FAILED } from '../../output/exit-codes.js';
import { printable } from '../../output/text-table.js';

/** Named at the end; of more it is said how many. */
const NAMED = 10;

/** Counts the outcomes of everything that was to be mined. */
export class MineEnds {
  private mined = 0;
  private failed = 0;

  constructor(private readonly leftOut: LeftOut[]) {}

  leaveOut({ sources }: SourceGroup, why: string): void {
    this.leftOut.push(...sources.map((source) => ({ source, why })));
  }

  /** @param sources as the job knows them, whose errors begin with them */
  add({ sources: given }: SourceGroup, sources: readonly string[], { state, errors }: Job): void {
    if (state === 'stopped') return;
    const isBad = (source: string | undefined) =>
      state === 'failed' || errors.some((error) => error.startsWith(`${source}: `));
    const bad = given.filter((_, at) => isBad(sources[at])).length;
    this.failed += bad;
    this.mined += given.length - bad;
  }

  /** Says it where not everything was mined, or there was more than one thing; the exit code agrees. */
  report(): void {
    const { mined, failed, leftOut } = this;
    const missing = failed + leftOut.length;
    if (missing > 0) process.exitCode ??= EXIT_FAILED;
    if (missing === 0 && mined < 2) return;
    const parts = [
      `mined ${mined}`,
      ...(failed > 0 ? [`failed ${failed}`] : []),
      ...(leftOut.length > 0 ? [`left out ${leftOut.length}: ${namesOf(leftOut)}`] : []),
    ];
    process.stderr.write(`${parts.join(', ')}\n`);
  }
}

function namesOf(leftOut: readonly LeftOut[]): string {
  const named = leftOut.slice(0, NAMED).map(({ source, why }) => `${printable(fileNameOf(source))} (${why})`);
  const more = leftOut.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
