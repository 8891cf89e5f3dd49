import { Command } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import { ageOf } from '../jobs/jobs.command.js';
import type { TranscriptLinkOptions } from './transcript-link.js';

const WEEK_SECONDS = 604_800;

export function transcriptCommand(): Command {
  const transcript = new Command('transcript').description('Transcripts: what was said, and putting it right.');
  withEngineOptions(
    transcript
      .command('link')
      .description('An address that opens the transcript of a job in the editor, for whoever is given it.')
      .argument('<job>', 'id of a job that was asked for speech_recognition and has ended'),
  )
    .option('--read-only', 'to read, not to write')
    .option('--expires <age>', 'how long it works: 90m, 12h, 30d, 4w (default: 1w)', ageOf, WEEK_SECONDS)
    .option('--name <name>', 'of the access key that is made for it', 'adit transcript link')
    .option('--json', 'as JSON: the address, and the key that revokes it')
    .addHelpText(
      'after',
      `
Example:
  adit transcript link 0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11 --server https://adit.example.org --expires 12h

The transcript is made where there is none yet. Whoever has the address may do what it allows to every transcript of the workspace:
its access key is one of its own, and DELETE /v1/access-keys/{key}/ ends it.`,
    )
    .action(async (job: string, options: TranscriptLinkOptions) => {
      const { linkTranscript } = await import('./transcript-link.js');
      await linkTranscript(job, options);
    });
  return transcript;
}
