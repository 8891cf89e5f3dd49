import { Command, InvalidArgumentError, Option } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import type { ModelEvaluateOptions } from './model-evaluate.js';

/** Measures a model before it is promoted. */
export function evaluateCommand(): Command {
  const evaluate = new Command('evaluate')
    .description('Say how right a model is on labelled pictures, and how a version compares to the one in use.')
    .argument('<model>', 'name or id of the model')
    .requiredOption(
      '--images <folder>',
      'a folder with a folder of pictures for each label, or with a list in COCO’s format; such a list; or a dataset by name or id',
    )
    .option('--version <number>', 'the version that is evaluated, beside the one in use', versionNumber)
    .addOption(
      new Option('--min-confidence <percent>', 'from which on something counts as said, as in a job')
        .argParser(percent)
        .default(0.7, '70'),
    )
    .option(
      '-o, --out <folder>',
      'where evaluation.html and evaluation.json go (default: adit-evaluations/MODEL-VERSION)',
    )
    .option('--json', 'as JSON');
  return withEngineOptions(evaluate)
    .addHelpText(
      'after',
      `
Examples:
  adit model evaluate helmets --images held-out/ --version 2      held-out/annotations.json and its pictures
  adit model evaluate animals --images photos/                    photos/cat/1.jpg, photos/dog/2.jpg …
  adit model evaluate newsroom --images Newsroom                  the images of a dataset

Detectors are measured by COCO's mAP, others by accuracy; both by precision and recall at every threshold. Pictures are asked
about one by one, as by predict; nothing of them is kept.`,
    )
    .action(async (model: string, options: ModelEvaluateOptions) => {
      const { evaluateModel } = await import('./model-evaluate.js');
      await evaluateModel(model, options);
    });
}

function versionNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a number such as 2.');
  return Number(text);
}

function percent(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 100))
    throw new InvalidArgumentError('Give a percentage of 0 to 100.');
  return value / 100;
}
