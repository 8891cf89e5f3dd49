import type { JobRequest } from '@adit/contracts';
import type { ModuleRegistry } from '@adit/module-kit';
import { cleaned } from '../http/sent-back.js';

/** Fields of a shown job's modules beside their arguments. */
const SHOWN = new Set(['state', 'progress']);

/** The modules of a request, without what a job that was read says of them and without arguments that are null. */
export function postedModules(modules: JobRequest['modules'], registry: ModuleRegistry): JobRequest['modules'] {
  return Object.fromEntries(
    Object.entries(modules).map(([name, args]) => {
      const definition = registry.find(name);
      // `cleaned` leaves out members, and changes none.
      return [name, definition === undefined ? args : (cleaned(definition.args, args, SHOWN) as typeof args)];
    }),
  );
}
