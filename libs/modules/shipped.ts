import { analysesFolder } from '@adit/analyses';
import { modelsRoot } from '@adit/models';
import type { ModuleRegistry } from '@adit/module-kit';
import { loadModules } from './index.js';

/** What comes with Adit: the folder of its analyses, the folders of its models, and its modules. */
export async function shippedExtensions(): Promise<{ analyses: string; models: string[]; modules: ModuleRegistry }> {
  return { analyses: analysesFolder, models: [modelsRoot()], modules: await loadModules() };
}
