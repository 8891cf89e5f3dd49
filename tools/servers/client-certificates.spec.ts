import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type PostgresConfig } from '@adit/database';
import { selfSignedCertificate } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { postgresOf } from './postgres.mjs';
import { Guard, ServerProcess } from './server-process.mjs';

/** PostgreSQL of this machine: the one from the npm package is built without TLS. */
const DEBIAN = '/usr/lib/postgresql';
const [version] = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
const installed = version === undefined ? null : postgresOf.debian(version).find();

/** `selfSignedCertificate` names whom it belongs to; `verify-full` takes it for the user of that name. */
const USER = 'Adit specs';

const title = 'a PostgreSQL that asks for a certificate of the client (clientcert=verify-full)';
const suite = installed === null ? describe.skip : describe;
suite(installed === null ? `${title} (skipped: no PostgreSQL of Debian is installed)` : title, () => {
  const folder = mkdtempSync(join(tmpdir(), 'adit-client-certificates-'));
  const file = (name: string) => join(folder, name);
  const guard = new Guard();
  let server: ServerProcess | undefined;
  let url: string;

  beforeAll(async () => {
    const data = file('server');
    mkdirSync(data);
    // PostgreSQL does not run as root, so somebody else has to get there.
    chmodSync(folder, 0o755);
    const plan = await postgresOf.debian(version!).plan(installed!, { folder: data, durable: false });
    const { user, args } = plan.process;
    const kept = (name: string, text: string) => {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (user !== null) chownSync(join(data, name), user.uid, user.gid);
    };
    const [own, client, other] = [0, 1, 2].map(() => selfSignedCertificate(['127.0.0.1']));
    kept('server.crt', own!.cert);
    kept('server.key', own!.key);
    kept('clients.crt', client!.cert);
    writeFileSync(file('ca.crt'), own!.cert);
    for (const [name, pair] of [
      ['client', client!],
      ['other', other!],
    ] as const) {
      writeFileSync(file(`${name}.crt`), pair.cert);
      writeFileSync(file(`${name}.key`), pair.key);
    }
    kept('data/pg_hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-full\n');
    const tls = ['ssl=on', `ssl_cert_file=${join(data, 'server.crt')}`, `ssl_key_file=${join(data, 'server.key')}`];
    const settings = [...tls, `ssl_ca_file=${join(data, 'clients.crt')}`].flatMap((setting) => ['-c', setting]);
    // A user whose name the certificate has.
    await madeUser(plan.process);
    const process = { ...plan.process, args: [...args, ...settings] };
    server = new ServerProcess({ name: 'PostgreSQL', folder: data, log: file('log'), guard, ...process });
    await server.start();
    const { port } = new URL(plan.facts.url);
    url = `postgresql://${encodeURIComponent(USER)}:specs@127.0.0.1:${port}/adit`;
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    guard.dismiss();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (more: Partial<PostgresConfig>, address = url) =>
    openDatabase({ driver: 'postgres', url: address, poolSize: 3, connectSeconds: 10, ...more });
  const files = (name: string) => ({
    caFile: file('ca.crt'),
    certFile: file(`${name}.crt`),
    keyFile: file(`${name}.key`),
  });

  it('is worked with, migrations included, by one from files or by the parameters of libpq', async () => {
    const database = await open(files('client'));
    expect(
      await database.dataSource.query('SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    ).toEqual([{ ssl: true, client_dn: `/CN=${USER}` }]);
    await database.close();
    const { caFile, certFile, keyFile } = files('client');
    const again = await open(
      {},
      `${url}?sslmode=verify-full&sslrootcert=${caFile}&sslcert=${certFile}&sslkey=${keyFile}`,
    );
    await again.close();
  }, 120_000);

  it.each([
    ['without one', () => ({ caFile: file('ca.crt') }), /requires a valid client certificate|it refuses the user/],
    ['with one of another authority', () => files('other'), /unknown ca|it refuses the user|certificate/],
  ])('refuses a process %s, at the start and with a reason', async (_, more, why) => {
    await expect(open(more())).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(why) });
  });

  it('needs the certificate and its key', async () => {
    const { keyFile, ...half } = files('client');
    await expect(open(half)).rejects.toThrow('has sslcert without sslkey (DATABASE_SSL_CERT_FILE');
    await expect(open({ ...half, keyFile: `${keyFile}.none` })).rejects.toThrow(
      /key of the client certificate's file .*\.none cannot be read/,
    );
  });
});

/** Without a client: PostgreSQL's single-user mode takes statements as input. */
async function madeUser({
  command,
  args,
  env,
  user,
}: {
  command: string;
  args: string[];
  env: object;
  user: object | null;
}) {
  const data = args[args.indexOf('-D') + 1]!;
  const single = spawn(command, ['--single', '-D', data, 'adit'], {
    env: { ...env } as NodeJS.ProcessEnv,
    cwd: data,
    stdio: ['pipe', 'ignore', 'inherit'],
    ...user,
  });
  single.stdin.end(`CREATE USER "${USER}" SUPERUSER PASSWORD 'specs'\n`);
  const [code] = await once(single, 'exit');
  if (code !== 0) throw new Error(`PostgreSQL made no user: ${code}`);
}
