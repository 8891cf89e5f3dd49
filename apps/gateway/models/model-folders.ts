import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '@adit/contracts';

/** Identity of this process among those of its number: in a container each life has the same number. */
const LIFE = randomBytes(4).toString('hex');
const FOLDER = /^adit-model-(\d+)-(?:([0-9a-f]{8})-)?[^-]+$/;

/** A new folder for what a model is checked in; whoever makes it removes it. */
export function modelFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `adit-model-${process.pid}-${LIFE}-`));
}

/** Removes the folders that processes left which died while they checked a model. Throws nothing: the engine starts without. */
export async function removeLeftFolders(folder = tmpdir()): Promise<void> {
  // eslint-disable-next-line adit/no-lost-errors -- what is left only takes room
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, life] = FOLDER.exec(name) ?? [];
    if (pid === undefined || (Number(pid) === process.pid ? life === LIFE : isAlive(Number(pid)))) continue;
    // Another user's are theirs to remove.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Another user's, which may not be asked, is. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
