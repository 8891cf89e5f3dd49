import { SAME_FACE_DISTANCE } from '@adit/contracts';
import { Command, InvalidArgumentError } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import type { MineOptions } from './mine.js';
import { moduleSetting } from './module-settings.js';

export function mineCommand(): Command {
  const mine = new Command('mine')
    .description('Find who and what is in films and pictures: a table here, results.json and report.html in a folder.')
    .argument(
      '[sources...]',
      'files, folders with all that is below them, or https:// addresses; or one live stream, rtsp://, rtmp://, srt://, https://….m3u8 or ….mpd; a sample film when left out',
    )
    .option('-m, --modules <ids>', 'questions to ask, separated by commas; all: every one that applies', list, [
      'face_recognition',
    ])
    .option('--model <name>', 'model for those of the modules that take it, e.g. a face gallery of yours')
    .option(
      '--set <argument>',
      'an argument of a module, module.argument=value (of one module, argument=value); the value as JSON or text; repeatable',
      moduleSetting,
      [],
    )
    .option('-o, --out <folder>', 'where the results go (default: ./adit-results/<name>)')
    .option('--record', 'keep the last minutes of a live stream (ADIT_RECORDING_MINUTES, an hour) as an HLS recording')
    .option('--json', 'print the results as JSON and nothing else on standard output')
    .option(
      '--max-distance <number>',
      `how far a known face may be, 0..2 (default: ${SAME_FACE_DISTANCE})`,
      number(0, 2),
    )
    .option(
      '--no-cluster-unknowns',
      'call everybody who is not recognised just "unknown", not "Unknown #1", "Unknown #2" …',
    );
  return withEngineOptions(mine)
    .addHelpText(
      'after',
      `
Examples:
  adit mine                                     the sample film
  adit mine film.mp4                            every person of a film, told apart
  adit mine archive/ --modules all              films, recordings, pictures and PDF documents, a job for each kind
  adit mine photos/ --model team                your own people (see "adit gallery build --help")
  adit mine talk.mp4 --modules speech_recognition --set mode=performance --set dump_srt=true
  adit mine film.mp4 --json | jq .summary
  adit mine film.mp4 --server https://adit.example.org
  adit mine rtsp://user:password@camera/live    a live stream, until Ctrl-C
  adit mine rtsp://camera/live --record         the same, with a recording of its last hour

What each module takes: docs/api, or GET /v1/modules/ of an engine that runs.`,
    )
    .action(async (sources: string[], options: MineOptions) => (await import('./mine.js')).mine(sources, options));
}

function list(text: string): string[] {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (ids.length === 0) throw new InvalidArgumentError('Name at least one module.');
  return ids;
}

function number(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= least && value <= most)) {
      throw new InvalidArgumentError(`Give a number from ${least} to ${most}.`);
    }
    return value;
  };
}
