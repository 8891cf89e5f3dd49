import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasLandlock } from '../testing/has-landlock.js';
import { confined, missingConfinement, networkShutBy, works } from './confinement.js';
import { runChild, type ChildRun } from './run-child.js';
import { SOCKET_FILTER, WRITE_FILTER } from './call-filter.js';

const linux = process.platform === 'linux';
const landlocked = hasLandlock();
const filtered = linux && /^(x64|arm64)$/.test(process.arch);

async function run(more: Partial<ChildRun> & Pick<ChildRun, 'program' | 'args'>): Promise<string> {
  let output = '';
  const onOutput = (piece: Buffer): void => void (output += piece.toString());
  const end = await runChild({ doing: 'Trying', timeoutSeconds: 60, onOutput, ...more });
  expect(end).toMatchObject({ code: 0, killedBy: null });
  return output;
}

describe('a child', () => {
  /** @hardening privacy: Child processes inherit secrets, files or the network */
  it('inherits no secrets', async () => {
    process.env['ADIT_SPEC_SECRET'] = 'hunter2';
    process.env['FFREPORT'] = 'file=/tmp/report';
    try {
      const output = await run({ program: 'env', args: [] });
      const names = output.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
      expect(names).toContain('PATH');
      for (const name of names) expect(['PATH', 'LC_ALL', 'LD_LIBRARY_PATH', 'MALLOC_ARENA_MAX']).toContain(name);
      expect(await run({ program: 'env', args: [], environment: ['ADIT_SPEC_SECRET'] })).toContain('hunter2');
    } finally {
      delete process.env['ADIT_SPEC_SECRET'];
      delete process.env['FFREPORT'];
    }
  });

  (linux ? it : it.skip)('has its limits from the first instruction, behind us, in one process', async () => {
    const output = await run({
      program: 'cat',
      args: ['/proc/self/limits', '/proc/self/stat'],
      limits: { dataBytes: 123 << 20, fileBytes: 456 },
    });
    expect((await missingConfinement()).length).toBe(landlocked ? 0 : 1);
    expect(/^Max data size\s+(\d+)\s+(\d+)/m.exec(output)?.slice(1)).toEqual([String(123 << 20), String(123 << 20)]);
    expect(/^Max file size\s+(\d+)\s/m.exec(output)?.[1]).toBe('456');
    expect(/^Max core file size\s+(\d+)\s/m.exec(output)?.[1]).toBe('0');
    expect(/^Max open files\s+(\d+)\s/m.exec(output)?.[1]).toBe('256');
    expect(Number(/^Max cpu time\s+(\d+)\s/m.exec(output)?.[1])).toBeGreaterThanOrEqual(60);
    const stat = /^\d+ \(cat\) (.*)$/m.exec(output)![1]!.split(' ');
    expect(stat[1]).toBe(String(process.pid));
    expect(Number(stat[16])).toBeGreaterThan(0);
  });

  it('is stopped on timeout, on abort, and when its output is refused', async () => {
    const forever = { program: 'sleep', args: ['600'] };
    await expect(run({ ...forever, timeoutSeconds: 0.1 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await expect(run({ ...forever, signal: AbortSignal.abort(new Error('deleted')) })).rejects.toThrow('deleted');
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('deleted')), 50);
    await expect(run({ ...forever, signal: controller.signal })).rejects.toThrow('deleted');
    const onOutput = (): void => {
      throw new Error('too much');
    };
    await expect(run({ program: 'yes', args: [], onOutput })).rejects.toThrow('too much');
  });

  (process.platform === 'win32' ? it.skip : it)('ends with all that it started', async () => {
    let output = '';
    const controller = new AbortController();
    const onOutput = (piece: Buffer): void => {
      output += piece.toString();
      if (output.includes('\n')) controller.abort(new Error('deleted'));
    };
    // The child has ended by then, but its own child holds the pipes.
    const args = ['-c', 'sleep 600 & echo $!'];
    await expect(run({ program: 'sh', args, family: true, signal: controller.signal, onOutput })).rejects.toThrow(
      'deleted',
    );
    const gone = (): boolean => {
      try {
        process.kill(Number(output), 0);
        return false;
      } catch {
        return true;
      }
    };
    while (!gone()) await sleep(10);
  });

  it('that does not exist ends as in a shell', async () => {
    const end = await runChild({ program: '/no/such/program', args: [], doing: 'Trying', timeoutSeconds: 60 });
    expect(end).toMatchObject({ code: 127 });
  });

  (linux ? it : it.skip)('ends with an engine that is killed', async () => {
    const words = await confined('sleep', {});
    const engine = spawn(process.execPath, [
      '-e',
      `const { spawn } = require('node:child_process');
       const [first, ...words] = ${JSON.stringify(words)};
       console.log(spawn(first, [...words, '600']).pid);
       setInterval(() => {}, 1000);`,
    ]);
    const [line] = (await once(engine.stdout, 'data')) as [Buffer];
    const child = `/proc/${Number(line.toString())}`;
    // The process may still be one of the confining words.
    while ((await readFile(`${child}/comm`, 'utf8')) !== 'sleep\n') await sleep(10);
    engine.kill('SIGKILL');
    while (existsSync(child)) await sleep(10);
  });
});

describe('a word in front of a command', () => {
  it('works, does not work, or cannot be tested now', async () => {
    expect(await works(['env'])).toBe(true);
    expect(await works(['false'])).toBe(false);
    expect(await works(['/no/such/program'])).toBe(false);
    await expect(works(['sh', '-c', 'kill -9 $$'])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(works(['sh', '-c', 'exec sleep 600'], 0.1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('a child and the network', () => {
  let server: Server;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((socket) => {
      connections++;
      socket.end('hello');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const connecting = (to: object = { port: (server.address() as AddressInfo).port, host: '127.0.0.1' }): string[] => [
    '-e',
    `const socket = require('node:net').connect(${JSON.stringify(to)});
     socket.on('data', (data) => process.stdout.write(data)).on('error', (error) => process.stdout.write(error.code));`,
  ];

  it('are separated, unless the child has to fetch something', async () => {
    expect(await run({ program: process.execPath, args: connecting(), network: true })).toBe('hello');
    expect(connections).toBe(1);
    if ((await networkShutBy()) === null) return expect(linux).toBe(false);
    expect(await run({ program: process.execPath, args: connecting() })).toMatch(/^E[A-Z]+$/);
    expect(connections).toBe(1);
  });

  /** @hardening privacy: Child processes inherit secrets, files or the network */
  (filtered ? it : it.skip)('meet by outgoing TCP alone where it has a port, and it writes files', async () => {
    const { port } = server.address() as AddressInfo;
    const folder = await mkdtemp(join(tmpdir(), 'adit-port-'));
    const tried = `
      const say = (error) => process.stdout.write(error.code + ' ');
      require('node:net').connect('/tmp/no-socket').on('error', say);
      require('node:net').connect(1, '::1').on('error', say);
      require('node:net').createServer().on('error', say).listen(0, '127.0.0.1', () => process.stdout.write('listens '));
      try { require('node:dgram').createSocket('udp4').on('error', say).bind(0, () => process.stdout.write('udp ')); }
      catch (error) { say(error); }
      require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'file'))}, 'written');`;
    try {
      const said = await run({ program: process.execPath, args: ['-e', tried], network: { port } });
      expect([...new Set(said.trim().split(' '))]).toEqual(['EACCES']);
      expect(await readFile(join(folder, 'file'), 'utf8')).toBe('written');
      expect(await run({ program: process.execPath, args: connecting(), network: { port } })).toBe('hello');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  (landlocked ? it : it.skip)('do not meet at another port than the one it has', async () => {
    const { port } = server.address() as AddressInfo;
    expect(await run({ program: process.execPath, args: connecting(), network: { port: port - 1 } })).toBe('EACCES');
  });

  it('variables of its own are in no command line', async () => {
    const output = await run({ program: 'env', args: [], variables: { http_proxy: 'http://a:secret@127.0.0.1:1' } });
    expect(output).toContain('http_proxy=http://a:secret@127.0.0.1:1\n');
  });

  (filtered ? it : it.skip)('are kept apart where the way there is a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-socket-'));
    const path = join(folder, 'socket');
    const local = createServer((socket) => socket.end('hello')).listen(path);
    await once(local, 'listening');
    try {
      expect(await run({ program: process.execPath, args: connecting({ path }), network: true })).toBe('hello');
      expect(await run({ program: process.execPath, args: connecting({ path }) })).toBe('EACCES');
    } finally {
      local.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  (filtered ? it : it.skip)('are kept apart by a filter where there are no namespaces', async () => {
    const [perl = '', ...words] = SOCKET_FILTER;
    const shut = await run({ program: perl, args: [...words, process.execPath, ...connecting()], network: true });
    expect(shut).toBe('EACCES');
    expect(await run({ program: perl, args: [...words, 'echo', 'well'], network: true })).toBe('well\n');
  });
});

describe('files', () => {
  (filtered ? it : it.skip)(
    'are written to by a child that may not write only where they were opened for it',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'adit-writes-'));
      const [old, given] = [join(folder, 'old'), join(folder, 'given')];
      await Promise.all([writeFile(old, 'as it was'), writeFile(given, '')]);
      const program = `const fs = require('node:fs');
      const [old, made] = [${JSON.stringify(old)}, ${JSON.stringify(join(folder, 'made'))}];
      const ways = {
        write: () => fs.openSync(old, 'r+'), append: () => fs.openSync(old, 'a'), cut: () => fs.truncateSync(old),
        cutAsItIsRead: () => fs.openSync(old, fs.constants.O_RDONLY | fs.constants.O_TRUNC),
        make: () => fs.openSync(made, 'w'), move: () => fs.renameSync(old, made), link: () => fs.linkSync(old, made),
        point: () => fs.symlinkSync(old, made), remove: () => fs.unlinkSync(old), folder: () => fs.mkdirSync(made),
        permit: () => fs.chmodSync(old, 0o777), cutGiven: () => fs.ftruncateSync(3),
        givenAnew: () => fs.openSync('/proc/self/fd/3', 'r+'),
      };
      const said = Object.entries(ways).map(([way, go]) => { try { go(); return way; } catch ({ code }) { return code; } });
      fs.writeSync(3, fs.readFileSync(old) + ', given');
      console.log([...new Set(said)].join());`;
      const [perl = '', ...words] = WRITE_FILTER;
      const file = await open(given, 'r+');
      try {
        const child = spawn(perl, [...words, process.execPath, '-e', program], {
          stdio: ['ignore', 'pipe', 'inherit', file.fd],
        });
        const [said] = (await once(child.stdout!, 'data')) as [Buffer];
        expect(said.toString()).toBe('EACCES\n');
        expect(await readdir(folder)).toEqual(['given', 'old']);
        expect(await readFile(old, 'utf8')).toBe('as it was');
        expect(await readFile(given, 'utf8')).toBe('as it was, given');
      } finally {
        await file.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
