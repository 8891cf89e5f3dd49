import { testServer, type Missing, type ServerName, type TestServers } from './servers.js';

/**
 * `describe` for what needs servers: `await describeWith(['kafka', 'postgres'], 'the outbox', ({ kafka, postgres }) => …)`
 * at the top level of a spec. Where one cannot be had the suite shows as skipped, with the reason in its title, and
 * `npm test` names it in its last lines.
 */
export async function describeWith<N extends ServerName>(
  names: N | readonly N[],
  title: string,
  body: (servers: Pick<TestServers, N>) => void,
): Promise<void> {
  // Only specs call this, but others import this package, and jest's globals refuse to load outside of jest.
  const { describe, it } = await import('@jest/globals');
  const found: Partial<TestServers> = {};
  const missing: string[] = [];
  await Promise.all(
    [names].flat().map(async (name) => {
      const server: TestServers[N] | Missing = await testServer(name as N);
      if ('reason' in server) missing.push(`no ${name}: ${firstLine(server.reason)}`);
      else found[name as N] = server;
    }),
  );
  if (missing.length === 0) {
    describe(title, () => body(found as Pick<TestServers, N>));
    return;
  }
  describe(`${title} (skipped: ${missing.join('; ')})`, () => {
    it.skip('everything in it', () => undefined);
  });
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
