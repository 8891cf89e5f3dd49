import { AditError } from '@adit/contracts';
import { Command } from 'commander';
import { serverOption, type EngineOptions } from '../../engine/engine-options.js';
import type { GalleryBuildOptions } from './gallery-build.js';
import type { GalleryRebuildOptions } from './gallery-rebuild.js';

export function galleryCommand(): Command {
  const gallery = new Command('gallery').description('Face galleries: the people that face recognition knows.');
  gallery
    .command('build')
    .description('Make a gallery, or a new version of it, from photos of people.')
    .argument('<folder>', 'a folder of photos for each person, or one photo named after each')
    .requiredOption('-n, --name <name>', 'name of the gallery, as a job’s "model" will say it')
    .option('--description <text>', 'what the gallery is')
    .option('--embedding <model>', 'a face embedding of your own, that was added with adit model add')
    .option('--default', 'use this gallery when a job names none')
    .addOption(serverOption())
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .addHelpText(
      'after',
      `
Examples:
  adit gallery build people/ --name team        people/Anna Weber/1.jpg, people/Jo.png …
  adit mine film.mp4 --model team
  adit gallery build people/ --name team --server https://adit.example.org

A running engine serves the new version at once. Building again under the same name adds a version.
On a server the photos become a dataset, a folder for each person, and a training makes the gallery of it.`,
    )
    .action(async (folder: string, options: GalleryBuildOptions & EngineOptions) => {
      if (options.server !== undefined) return (await import('./gallery-server.js')).buildGalleryOn(folder, options);
      const { buildGallery } = await import('./gallery-build.js');
      await buildGallery(folder, options);
    });
  gallery
    .command('rebuild')
    .description('Make the next version of a gallery of the same photos, once its embedding is another.')
    .argument('<name>', 'name of the gallery')
    .argument('[folder]', 'its photos, when they lie elsewhere by now')
    .addOption(serverOption())
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .addHelpText('after', '\nExample:\n  adit gallery rebuild team')
    .action(async (name: string, folder: string | undefined, options: GalleryRebuildOptions & EngineOptions) => {
      if (options.server !== undefined) {
        const again = `adit train ${name} --name ${name} --server ${options.server}`;
        throw new AditError('VALIDATION', `A gallery of a server is made anew by training its dataset again: ${again}`);
      }
      const { rebuildGallery } = await import('./gallery-rebuild.js');
      await rebuildGallery(name, folder, options);
    });
  gallery
    .command('list')
    .description('Galleries that are installed here, or on a server.')
    .addOption(serverOption())
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .option('--json', 'as JSON')
    .action(async (options: EngineOptions & { json?: boolean }) => {
      if (options.server !== undefined) return (await import('./gallery-server.js')).listGalleriesOn(options);
      const { listModels } = await import('../model/model-list.js');
      await listModels(options, (kind) => kind === 'gallery');
    });
  return gallery;
}
