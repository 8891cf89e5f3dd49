import { Command, InvalidArgumentError, Option } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import { EDIT_FORMATS } from '../edit-formats.js';
import type { RebuildOptions, SearchOptions } from './search.js';

export function searchCommand(): Command {
  const search = withEngineOptions(
    new Command('search')
      .description('Find moments in all that was mined: who and what is seen, what is said and written, and where.')
      .argument(
        '[question...]',
        'words, "phrases", AND, OR, NOT, parentheses; who: what: said: written: where: before them',
      )
      .option('--json', 'as JSON')
      .option('--limit <number>', 'at most so many', count, 20)
      .option(
        '--photo <file>',
        'only moments that show the person of this photo: a file here, or storage://… or https://…',
      )
      .option('--module <id>', 'only what this module found')
      .option('--job <id>', 'only of this job')
      .option('--tag <tag>', 'only of jobs with this tag')
      .option('--language <code>', 'only what was said in this language, such as de')
      .option('--when <range>', 'a day or time, or two with a slash between')
      .option('--together <seconds>', 'what AND joins may be so far apart in one source', seconds)
      .option('--exact', 'no parts of words, and none that are merely like those')
      .addOption(
        new Option('--export <format>', 'write all that is found for an editing program').choices(EDIT_FORMATS),
      )
      .option('-o, --out <file>', 'where an export goes (default: its own name in this folder)')
      .option('--handles <frames>', 'frames that each cut of an export is longer on both sides', frames)
      .addHelpText(
        'after',
        `
Examples:
  adit search budget
  adit search 'who:"Anna Weber" said:(budget OR cost)' --together 10
  adit search what:car NOT what:truck --tag evening --json
  adit search said:budget --photo anna.jpg --together 10
  adit search 'who:"Anna Weber"' --export edl --handles 12 -o anna.edl`,
      ),
  ).action(async (question: string[], options: SearchOptions) =>
    (await import('./search.js')).search(question.join(' '), options),
  );
  withEngineOptions(
    search
      .command('rebuild')
      .description('Index everything again, job by job; it can be found meanwhile. For keys with the role admin.')
      .option('--json', 'as JSON'),
  ).action(async (_: RebuildOptions, command: Command) =>
    (await import('./search.js')).rebuild(command.optsWithGlobals<RebuildOptions>()),
  );
  return search;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Give a whole number from 1.');
  return value;
}

function frames(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Give a whole number from 0.');
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 3_600)) throw new InvalidArgumentError('Give seconds from 0 to 3600.');
  return value;
}
