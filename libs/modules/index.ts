import { ModuleRegistry } from '@adit/mining';

/** Every module of this folder, found by scanning it: a new module edits no list. */
export function loadModules(): Promise<ModuleRegistry> {
  return ModuleRegistry.scan(import.meta.dirname);
}
