import { Command, InvalidArgumentError } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import type { CanaryOptions, CanaryStartOptions, CanaryStatusOptions } from './model-canary.js';

/** A version of a model beside the one that is used. */
export function canaryCommand(): Command {
  const canary = new Command('canary').description(
    'Try a version of a model on a share of what its jobs look at: no job waits for it or shows what it saw.',
  );
  const one = (name: string, does: string) =>
    withEngineOptions(canary.command(name).description(does).argument('<model>', 'name or id of the model')).option(
      '--json',
      'as JSON',
    );
  one('start', 'Begin, or change the share.')
    .requiredOption('--version <number>', 'the version that is tried; the name must mean another', wholeNumber)
    .requiredOption('--share <part>', 'of the chunks: 0.1 or 10%', share)
    .addHelpText('after', '\nExample:\n  adit model canary start helmets --version 2 --share 10%')
    .action(async (name: string, options: CanaryStartOptions) => {
      const { startCanary } = await import('./model-canary.js');
      await startCanary(name, options);
    });
  one('status', 'How the two differ: by label, and in latency.')
    .option('--pictures <folder>', 'write those that differ most, with frames around what each version saw')
    .action(async (name: string, options: CanaryStatusOptions) => {
      const { showCanary } = await import('./model-canary.js');
      await showCanary(name, options);
    });
  one('promote', 'Make the version that is tried the one that the name means.').action(
    async (name: string, options: CanaryOptions) => {
      const { endCanary } = await import('./model-canary.js');
      await endCanary(name, 'promote', options);
    },
  );
  one('drop', 'Try it no more; it stays a version of the model.').action(
    async (name: string, options: CanaryOptions) => {
      const { endCanary } = await import('./model-canary.js');
      await endCanary(name, 'drop', options);
    },
  );
  return canary;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a number such as 2.');
  return Number(text);
}

function share(text: string): number {
  const [, digits = '', percent] = /^(\d+(?:\.\d+)?)(%)?$/.exec(text) ?? [];
  const part = Number(digits) / (percent === undefined ? 1 : 100);
  if (digits === '' || part <= 0 || part > 1) throw new InvalidArgumentError('Give a part such as 0.1 or 10%.');
  return part;
}
