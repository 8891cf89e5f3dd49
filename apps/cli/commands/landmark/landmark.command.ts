import { Command } from 'commander';
import type { GalleryRebuildOptions } from '../gallery/gallery-rebuild.js';
import type { LandmarkBuildOptions } from './landmark-build.js';

export function landmarkCommand(): Command {
  const landmark = new Command('landmark').description('Landmark models: the places that landmark recognition knows.');
  landmark
    .command('build')
    .description('Make a landmark model, or a new version of it, from photos of places.')
    .argument('<folder>', 'a folder of photos for each landmark, or one photo named after each')
    .requiredOption('-n, --name <name>', 'name of the model, as a job’s "model" will say it')
    .requiredOption('--csv <file>', 'what they are: columns name, type, latitude, longitude, location')
    .option('--description <text>', 'what the model is')
    .option('--embedding <model>', 'an embedding of pictures of your own, that was added with adit model add')
    .option('--default', 'use this model when a job names none')
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .addHelpText(
      'after',
      `
Example:
  adit landmark build places/ --csv places.csv --name mytown      places/Old Bridge/1.jpg, places/Mill.png …

  name,type,latitude,longitude,location
  Old Bridge,bridge,49.4139,8.7094,"Heidelberg, Baden-Württemberg, Germany"

A running engine serves the new version at once. Building again under the same name adds a version.`,
    )
    .action(async (folder: string, options: LandmarkBuildOptions) => {
      const { buildLandmarks } = await import('./landmark-build.js');
      await buildLandmarks(folder, options);
    });
  landmark
    .command('rebuild')
    .description('Make the next version of a landmark model of the same photos, once its embedding is another.')
    .argument('<name>', 'name of the model')
    .argument('[folder]', 'its photos, when they lie elsewhere by now')
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .addHelpText('after', '\nExample:\n  adit landmark rebuild mytown')
    .action(async (name: string, folder: string | undefined, options: GalleryRebuildOptions) => {
      const { rebuildLandmarks } = await import('./landmark-rebuild.js');
      await rebuildLandmarks(name, folder, options);
    });
  return landmark;
}
