import { AditApiError, AditConnectionError } from '@adit/client';
import { faultText } from '../messages/en.js';

/** An error in a sentence for the person; the service's own words where they say more. */
export function faultMessage(error: unknown): string {
  const text = faultText.get();
  if (error instanceof AditConnectionError) return text.unreachable;
  if (!(error instanceof AditApiError))
    return `${text.other} ${error instanceof Error ? error.message : String(error)}`;
  if (error.status === 403) return text.forbidden;
  if (error.status === 404) return text.notFound;
  return `${error.status === 409 ? text.conflict : text.other} ${error.message}`;
}
