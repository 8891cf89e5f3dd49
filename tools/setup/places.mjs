// Where things are: the clone, and the cache that outlives it.
import { homedir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
// HOME may be empty, as in some service managers.
const home = homedir() || userInfo().homedir;
export const cacheDirectory = resolve(process.env.ADIT_CACHE_DIR || join(home, '.cache/adit'));
/** Inside node_modules, so that removing those removes the memory of having filled them. */
export const stampFile = join(repositoryRoot, 'node_modules/.adit-setup.json');
