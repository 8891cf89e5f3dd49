import { AditApiError, AditConnectionError } from '@adit/client';

/** Explains an error to the user; `signedOut`: another token would help. */
export function whyNot(error: unknown): { text: string; signedOut: boolean } {
  if (error instanceof AditConnectionError) {
    return { text: 'The service does not answer. Nothing is lost: try again in a moment.', signedOut: false };
  }
  if (!(error instanceof AditApiError)) {
    return { text: error instanceof Error ? error.message : String(error), signedOut: false };
  }
  switch (error.status) {
    case 401:
      return {
        text: 'This link is not good any more. Open the transcript again from where you came.',
        signedOut: true,
      };
    case 403:
      return { text: 'This link does not allow that.', signedOut: false };
    case 404:
      return { text: 'There is no such transcript any more.', signedOut: false };
    default:
      return { text: error.message, signedOut: false };
  }
}
