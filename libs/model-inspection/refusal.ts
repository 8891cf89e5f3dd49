import { AditError } from '@adit/contracts';

/** Shortens a name from the file for a sentence, without terminal control characters. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

export function refused(message: string): AditError {
  return new AditError('VALIDATION', message);
}
