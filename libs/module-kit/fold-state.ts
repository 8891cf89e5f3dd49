import { AditError } from '@adit/contracts';
import type { Json } from '@adit/contracts';
import type { ModuleDefinition } from './module.js';

/** Most bytes of a stored state, which is written with every chunk's segments. */
export const MAX_STATE_BYTES = 1024 * 1024;

type StateOwner = Pick<ModuleDefinition, 'id' | 'version' | 'adopt'>;

/**
 * Serialises a fold's state. Throws LIMIT_EXCEEDED above 1 MiB, when the module keeps data that it should have emitted.
 */
export function sealState(owner: StateOwner, state: Json): string {
  const text = JSON.stringify({ module: owner.id, version: owner.version, state });
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STATE_BYTES) {
    throw new AditError(
      'LIMIT_EXCEEDED',
      `The state of ${owner.id} takes ${bytes} bytes; a fold may keep ${MAX_STATE_BYTES}.`,
    );
  }
  return text;
}

/**
 * Returns the state stored by this module in this version; null when another one wrote it and the observations have to
 * be folded anew.
 */
export function unsealState<State extends Json>(owner: StateOwner, text: string): State | null {
  const sealed = parse(text);
  if (typeof sealed !== 'object' || sealed === null || Array.isArray(sealed)) return null;
  const { module, version, state = null } = sealed;
  if (module !== owner.id) return null;
  const own = version === owner.version ? state : (owner.adopt?.(state, Number(version)) ?? null);
  // A state that the module sealed or migrated in its current version has its type.
  return own as State | null;
}

function parse(text: string): Json {
  try {
    const json: Json = JSON.parse(text);
    return json;
  } catch {
    // eslint-disable-next-line adit/no-lost-errors -- only the text itself can be wrong
    return null;
  }
}
