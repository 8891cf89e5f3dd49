import { loadModules } from '@adit/modules';
import type { OfferedModule } from './mine-modules.js';

/** The modules that an engine of this installation has. */
export async function modulesHere(): Promise<OfferedModule[]> {
  return (await loadModules()).describe();
}
