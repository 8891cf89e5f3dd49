/**
 * `fetch` for a browser that is signed in: it sends the cookie by itself, and this adds the header by which the service knows that a page
 * of its own asks.
 */
export function ownFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-adit-csrf', '1');
  return fetch(input, { ...init, headers });
}

/** `ownFetch` of a page that shows this workspace: it is refused once the browser has moved to another one, in another tab. */
export function ownFetchIn(workspaceId: string): typeof ownFetch {
  return (input, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('x-adit-workspace', workspaceId);
    return ownFetch(input, { ...init, headers });
  };
}
