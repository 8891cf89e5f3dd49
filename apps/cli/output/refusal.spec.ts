import { constants } from 'node:fs';
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '@adit/contracts';
import { expect, it } from '@jest/globals';
import { refusalOf } from './refusal.js';

it('says what to do about a file that this user may not open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adit-refusal-'));
  const path = join(folder, 'film.mp4');
  await writeFile(path, '');
  await chmod(path, 0);
  // Root may read any file; what it may not execute is refused to it as well.
  const denied: unknown = await access(path, constants.X_OK).catch((error: unknown) => error);
  await rm(folder, { recursive: true });
  expect(errorCode(denied)).toBe('EACCES');
  expect(refusalOf(denied)).toMatchObject({
    code: 'FORBIDDEN',
    message: `${path} cannot be opened: permission denied. Give this user the right to (chmod, chown), or run the command as one who has it.`,
  });
});

it('leaves other errors as they are', async () => {
  const missing: unknown = await access('/nowhere/film.mp4').catch((error: unknown) => error);
  for (const error of [missing, new Error('EACCES'), null, 'EACCES']) expect(refusalOf(error)).toBe(error);
});
