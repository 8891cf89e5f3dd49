import { existsSync } from 'node:fs';
import { AditError } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';

/** The film that is mined when none is named: 200 seconds of a man talking, which a package delivers. */
export function sampleFilm(): string {
  const { franck } = sampleMedia();
  if (existsSync(franck)) return franck;
  throw new AditError('SOURCE_REFUSED', 'The sample film is not installed; name a file of your own.');
}
