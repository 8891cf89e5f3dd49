import { existsSync } from 'node:fs';
import { AditError } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';

/** The film that is mined when none is named: 200 seconds of a man talking, which a package delivers. */
export function sampleFilm(): string {
  const film = delivered();
  if (film !== null && existsSync(film)) return film;
  throw new AditError('SOURCE_REFUSED', 'The sample film is not installed; name a file of your own.');
}

/** An installation without the packages of development, such as a container, has none. */
function delivered(): string | null {
  try {
    return sampleMedia().franck;
  } catch {
    return null;
  }
}
