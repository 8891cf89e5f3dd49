import type { AditError } from '@adit/contracts';
import { refused, unavailable } from '../live-faults.js';

/** Maps a status that is no success of a request that cannot fail. */
export function statusFault(shown: string, method: string, status: number): AditError {
  switch (status) {
    case 403:
      return refused(shown, 'the server forbids to read this stream (status 403)');
    case 404:
      return unavailable(shown, 'the server has no stream at this path (status 404)');
    case 461:
      return refused(shown, 'the server offers no transport that can be read (status 461)');
    case 453:
    case 454:
      return unavailable(shown, `the server answers status ${status} to ${method}`);
    default: {
      const reason = `the server answers status ${status} to ${method}`;
      return status >= 500 ? unavailable(shown, reason) : refused(shown, reason);
    }
  }
}
