/** @needs ffmpeg, weights */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { PNPM_VERSION } from '../setup/steps/packages.mjs';
import { serviceNames } from './stack.mjs';

interface ComposeService {
  image: string;
  command?: string[];
  environment: Record<string, string>;
  healthcheck?: { test: string[] };
  profiles?: string[];
  tmpfs?: string[];
  volumes?: string[];
}

const root = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = load(text('deploy/docker-compose.yml'), { schema: YAML11_SCHEMA }) as {
  services: Record<string, ComposeService>;
};
const gpu = load(text('deploy/docker-compose.gpu.yml'), { schema: YAML11_SCHEMA }) as {
  services: Record<string, object>;
};
/** Services that run our image and stay; the others are servers and one-time tasks. */
const ours = Object.entries(compose.services).filter(
  ([name, { image }]) => image.includes('ADIT') && !['secrets', 'models'].includes(name),
);
/** Folders of media, which are read alone. */
const MEDIA = '/media';
/** Not Adit's own: OpenTelemetry reads its variables, Node reads this one. */
const foreign = /^(OTEL_.*|TMPDIR)$/;
const settings = new Set(
  [...text('docs/reference/configuration.md').matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name),
);

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'adit-secrets-'));
  folders.push(folder);
  return folder;
}

/** Files that `secrets` writes, with their content. */
function makeSecrets(folder: string, env: NodeJS.ProcessEnv = {}): Record<string, string> {
  execFileSync(process.execPath, [join(root, 'deploy/make-secrets.mjs'), folder], { env });
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe('deploy', () => {
  it('starts every service, by the program that the build makes of it', () => {
    const started = ours.map(([, { command }]) => command![1]!.match(/^apps\/([a-z-]+)\/dist\/main\.js$/)?.[1]);
    expect([...new Set(started)].sort()).toEqual(serviceNames());
  });

  it('builds the image of files that its context has', () => {
    const copied = [...text('deploy/Dockerfile').matchAll(/\/adit\/(deploy\/\S+\.mjs)/g)].map(([, file]) => file);
    const kept = [...text('.dockerignore').matchAll(/^!(deploy\/\S+)$/gm)].map(([, file]) => file);
    expect(copied).not.toEqual([]);
    expect(kept.sort()).toEqual(copied.sort());
  });

  it.each(ours)('%s sets only what is a setting, and is asked whether it is ready', (_, service) => {
    const unknown = Object.keys(service.environment).filter((name) => {
      return !settings.has(name.replace(/_FILE$/, '')) && !settings.has(name) && !foreign.test(name);
    });
    expect(unknown).toEqual([]);
    expect(service.environment).toMatchObject({
      BUS_DRIVER: 'kafka',
      DATABASE_DRIVER: 'postgres',
      OBJECTS_DRIVER: 'minio',
    });
    const port = service.command![1]!.includes('gateway') ? 8080 : 9464;
    expect(service.healthcheck!.test).toEqual(['CMD', 'node', 'deploy/probe.mjs', `http://127.0.0.1:${port}/readyz`]);
  });

  it.each(ours)(
    '%s finds every folder that it writes to mounted, and volumes made its own by the image',
    (_, service) => {
      const writable = (service.volumes ?? []).filter((volume) => !volume.includes(`:${MEDIA}:ro`));
      const volumes = writable.map((volume) => volume.split(':')[1]!);
      expect([...volumes, ...service.tmpfs!]).toEqual(expect.arrayContaining(['/data', '/tmp']));
      const owned = text('deploy/Dockerfile').match(/install --directory --owner=adit --group=adit (.*?) \\?\n/)![1]!;
      for (const place of volumes) expect(owned.split(' ')).toContain(place);
    },
  );

  it('mounts a folder of media read-only where sources are named and opened, and nowhere else', () => {
    const mounting = ours.filter(([, { volumes = [] }]) => volumes.some((volume) => volume.includes(`:${MEDIA}`)));
    expect(mounting.map(([name]) => name)).toEqual(['gateway', 'decoder']);
    for (const [, { volumes, environment }] of mounting) {
      expect(volumes).toContain(`\${ADIT_MEDIA:-media}:${MEDIA}:ro`);
      expect(environment['ADIT_LOCAL_ROOTS']).toBe(MEDIA);
    }
  });

  it('has a GPU for every service that runs models, in place of the one on CPUs', () => {
    const inference = ours.map(([name]) => name).filter((name) => name.startsWith('inference-'));
    expect(Object.keys(gpu.services).sort()).toEqual(inference.sort());
    for (const service of Object.values(gpu.services)) {
      expect(service).toMatchObject({
        image: expect.stringContaining('cuda'),
        deploy: { resources: { reservations: { devices: [{ driver: 'nvidia', count: 1, capabilities: ['gpu'] }] } } },
      });
    }
  });

  it('pulls the models that are named, each of them, and fails with the first that cannot be had', () => {
    const [shell, option, script] = compose.services['models']!.command!;
    const calls = (names: string, adit: string): { said: string; status: number } => {
      // Compose makes one dollar of two.
      const program = `adit() { ${adit}; }; ${script!.replaceAll('$$', '$')}`;
      const { stdout, status } = spawnSync(shell!, [option!, program], { env: { ADIT_PULL: names }, encoding: 'utf8' });
      return { said: stdout.trim(), status: status! };
    };
    expect(calls('', 'echo "$@"')).toEqual({ said: '', status: 0 });
    const both = 'model pull whisper-base --shared\nmodel pull pp-ocrv6 --shared';
    expect(calls('whisper-base pp-ocrv6', 'echo "$@"')).toEqual({ said: both, status: 0 });
    expect(calls('gone pp-ocrv6', 'echo "$@"; false')).toEqual({ said: 'model pull gone --shared', status: 1 });
  });

  it('names every server that the services are told of', () => {
    const [, { environment }] = ours[0]!;
    const { 'database-url': database } = makeSecrets(scratch());
    const hosts = [environment['KAFKA_BROKERS']!, new URL(database!).host, environment['S3_ENDPOINT']!].map(
      (address) => address.match(/(?:@|\/\/|^)([a-z]+):\d+/)![1]!,
    );
    for (const host of hosts) expect(compose.services[host]?.healthcheck).toBeDefined();
  });

  /** @hardening setup: Compose has fixed passwords or no limits, an image no SBOM */
  it('makes its passwords at the first start and keeps them; what is given counts instead', () => {
    const folder = scratch();
    const made = makeSecrets(folder);
    expect(Object.keys(made).sort()).toEqual(['database-url', 'encryption-key', 'postgres-password', 's3-secret-key']);
    for (const name of ['encryption-key', 'postgres-password', 's3-secret-key'])
      expect(made[name]).toMatch(/^[\w-]{32}$/);
    expect(made['database-url']).toContain(`adit:${made['postgres-password']}@`);
    expect(makeSecrets(folder)).toEqual(made);
    const given = makeSecrets(folder, { POSTGRES_PASSWORD: 'a/b@c' });
    expect(new URL(given['database-url']!)).toMatchObject({ password: 'a%2Fb%40c', hostname: 'postgres' });
    expect(given['s3-secret-key']).toBe(made['s3-secret-key']);
    expect(text('deploy/docker-compose.yml')).not.toMatch(/(PASSWORD|SECRET\w*):-[^}]/);
  });

  it.each(Object.entries(compose.services))('%s is bounded in memory and processes', (_, service) => {
    expect(service).toMatchObject({ mem_limit: expect.anything(), pids_limit: expect.any(Number) });
  });

  it('takes an image for GPUs that lacks the driver alone, and names what else is missing', () => {
    const [, check] = /missing=\$\(ldd "\$\{library\}" \| (awk '.*?')\)/.exec(text('deploy/Dockerfile')) ?? [];
    const missing = (said: string): string =>
      execFileSync('sh', ['-c', check!], { input: said, encoding: 'utf8' }).trim();
    // As ldd said of ONNX Runtime's library beside CUDA 12.8, and beside nothing.
    const found = '\tlibcublas.so.12 => /usr/local/cuda/lib64/libcublas.so.12 (0x00007f0000000000)\n';
    const driver = '\tlibcuda.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f0000100000)\n';
    expect(missing(found + driver)).toBe('');
    expect(missing(`\tlibcublas.so.12 => not found\n${driver}\tlibcurand.so.10 => not found\n`)).toBe(
      'libcublas.so.12\nlibcurand.so.10',
    );
  });

  it('has for linux/arm64 every native package that it has for linux/amd64', () => {
    // A package of the lock file: its name at the left, the systems that it is for below.
    const natives = [...text('pnpm-lock.yaml').matchAll(/^ {2}'?(\S+?)@[^:\s]+:\n((?: {4}.*\n)+)/gm)]
      .filter(([, , about]) => about!.includes('os: [linux]'))
      .map(([, name]) => name!);
    const amd64 = natives.filter((name) => /linux-x64(-gnu|-glibc)?$/.test(name));
    expect(amd64).toContain('@img/sharp-linux-x64');
    expect(amd64.filter((name) => !natives.includes(name.replace('x64', 'arm64')))).toEqual([]);
    // It carries its libraries for every system.
    const runtime = dirname(
      createRequire(join(root, 'libs/inference/package.json')).resolve('onnxruntime-node/package.json'),
    );
    const [abi] = readdirSync(join(runtime, 'bin'));
    expect(readdirSync(join(runtime, 'bin', abi!, 'linux/arm64'))).toContain('onnxruntime_binding.node');
  });

  it('says what is in the image', () => {
    expect(text('deploy/Dockerfile')).toMatch(
      /pnpm sbom --sbom-format cyclonedx [\s\S]*COPY --from=build \/adit\/sbom\.cdx\.json[\s\S]*RUN node deploy\/complete-sbom\.mjs sbom\.cdx\.json models\n/,
    );
    const { version } = JSON.parse(text('package.json')) as { version: string };
    expect(text('deploy/Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`);
  });

  const onDebian = existsSync('/usr/bin/dpkg-query') ? it : it.skip;
  onDebian('names the packages of the system, Node and weights beside those of npm', () => {
    const folder = scratch();
    const file = join(folder, 'sbom.cdx.json');
    const bom = { bomFormat: 'CycloneDX', components: [{ type: 'library', name: 'zod', version: '4.6.0' }] };
    writeFileSync(file, JSON.stringify(bom));
    mkdirSync(join(folder, 'models/cats/2'), { recursive: true });
    writeFileSync(join(folder, 'models/cats/2/model.onnx'), 'weights');
    writeFileSync(join(folder, 'models/catalogue.yaml'), '');
    execFileSync(process.execPath, [join(root, 'deploy/complete-sbom.mjs'), file, join(folder, 'models')]);
    const { bomFormat, components } = JSON.parse(readFileSync(file, 'utf8')) as {
      bomFormat: string;
      components: { type: string; name: string; version: string; purl?: string; hashes?: unknown }[];
    };
    expect([bomFormat, components[0]]).toEqual(['CycloneDX', bom.components[0]]);
    expect(components.find(({ name }) => name === 'node')).toMatchObject({ version: process.versions.node });
    const dpkg = components.find(({ name }) => name === 'dpkg')!;
    expect(dpkg.purl).toMatch(/^pkg:deb\/\w+\/dpkg@[^?]+\?arch=\w+&distro=\w+-/);
    expect(components.filter(({ type }) => type === 'machine-learning-model')).toEqual([
      {
        ...{ type: 'machine-learning-model', 'bom-ref': 'model:cats@2', name: 'cats', version: '2' },
        hashes: [{ alg: 'SHA-256', content: createHash('sha256').update('weights').digest('hex') }],
      },
    ]);
  });

  it('runs the Node that the types are of, and that set-up fetches for the tests', async () => {
    const [, release] = /^ARG NODE_IMAGE=node:(\d+\.\d+)-/m.exec(text('deploy/Dockerfile')) ?? [];
    const { VERSIONS } = (await import(new URL('../setup/steps/node.mjs', import.meta.url).href)) as {
      VERSIONS: Record<string, string>;
    };
    const major = String(release).split('.')[0]!;
    expect(VERSIONS[major]).toBe(`${release}.0`);
    const manifest = JSON.parse(text('package.json')) as { devDependencies: Record<string, string> };
    expect(manifest.devDependencies['@types/node']).toMatch(new RegExp(`^\\^${major}\\.`));
  });

  it('builds with the pnpm that set-up pins, and runs as nobody in particular', () => {
    const dockerfile = text('deploy/Dockerfile');
    expect(dockerfile).toContain(`ARG PNPM_VERSION=${PNPM_VERSION}\n`);
    expect(dockerfile).toMatch(/\nUSER 10001:10001\n/);
    expect(dockerfile.lastIndexOf('\nUSER ')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM '));
    for (const variable of dockerfile.matchAll(/\b(ADIT_[A-Z_]+)=/g)) expect(settings).toContain(variable[1]);
  });
});
