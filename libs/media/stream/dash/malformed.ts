import { AditError } from '@adit/contracts';

export function malformed(reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The DASH manifest cannot be read: ${reason}.`);
}
