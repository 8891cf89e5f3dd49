import { Command, InvalidArgumentError } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import type { RetentionOptions, UpcomingOptions } from './retention.js';

/** Seconds of each unit that a duration may be written in. */
const UNITS: Readonly<Record<string, number>> = { s: 1, h: 3_600, d: 86_400, y: 365 * 86_400 };

export function retentionCommand(): Command {
  const retention = new Command('retention').description(
    'How long a workspace keeps what, and what it must not delete.',
  );
  const one = (name: string, does: string) =>
    withEngineOptions(retention.command(name).description(does).option('--json', 'as JSON'));
  one('show', 'Show how long what is kept, and the tags under a legal hold.').action(
    async (options: RetentionOptions) => (await import('./retention.js')).showRetention(options),
  );
  one('set', 'Change how long what is kept. For keys with the role admin.')
    .argument('<kind=time...>', 'such as results=90d, observations=12h or uploads=default', times, {})
    .action(async (kinds: Record<string, number | null>, options: RetentionOptions) =>
      (await import('./retention.js')).setRetention(kinds, options),
    );
  one('upcoming', 'Show what goes next.')
    .option('--within <hours>', 'within so many hours', hours, 24)
    .action(async (options: UpcomingOptions) => (await import('./retention.js')).showUpcoming(options));
  one('hold <tag>', 'Put the jobs with a tag under a legal hold. For keys with the role admin.').action(
    async (tag: string, options: RetentionOptions) => (await import('./retention.js')).hold(tag, options),
  );
  one('lift <tag>', 'Lift a legal hold. For keys with the role admin.').action(
    async (tag: string, options: RetentionOptions) => (await import('./retention.js')).lift(tag, options),
  );
  return retention.addHelpText(
    'after',
    '\nExamples:\n  adit retention set results=90d observations=1d\n  adit retention upcoming --within 48\n  adit retention hold "case 4711"',
  );
}

function times(text: string, former: Record<string, number | null>): Record<string, number | null> {
  const [kind = '', time = ''] = text.split('=', 2);
  if (time === 'default') return { ...former, [kind]: null };
  const [, count, unit = 's'] = /^(\d{1,12})([shdy])?$/.exec(time) ?? [];
  const seconds = UNITS[unit];
  if (count === undefined || seconds === undefined) {
    throw new InvalidArgumentError('Give kind=time, the time as 3600s, 12h, 90d, 2y or default.');
  }
  return { ...former, [kind]: Number(count) * seconds };
}

function hours(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 720) throw new InvalidArgumentError('Give 1 to 720 hours.');
  return value;
}
