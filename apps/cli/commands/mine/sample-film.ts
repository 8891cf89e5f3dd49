import { existsSync } from 'node:fs';
import { AditError } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';

/** The film that is mined when none is named: 200 seconds of a man talking, which a package delivers. */
export function sampleFilm(): string {
  const film = sampleFilmIfAny();
  if (film !== null) return film;
  throw new AditError('SOURCE_REFUSED', 'The sample film is not installed; name a file of your own.');
}

/** An installation without the packages of development, such as a container, has none. */
export function sampleFilmIfAny(): string | null {
  try {
    const { franck } = sampleMedia();
    return existsSync(franck) ? franck : null;
  } catch {
    return null;
  }
}
