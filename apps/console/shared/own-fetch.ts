/**
 * `fetch` for a browser that is signed in: it sends the cookie by itself, and this adds the header by which the service knows that a page
 * of its own asks.
 */
export function ownFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-adit-csrf', '1');
  return fetch(input, { ...init, headers });
}
