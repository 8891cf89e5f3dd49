// The image of deploy/Dockerfile without an engine or a registry: by buildah, on a base made of Debian's packages and the
// Node that the image names, with a store of its own in the cache.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { folderOf } from '../servers/installing.mjs';
import { withLock } from '../setup/lock.mjs';
import { onPath } from '../setup/on-path.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { ensureNode, VERSIONS } from '../setup/steps/node.mjs';
import { kubernetesCache } from './programs.mjs';

const DEBIAN = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const NODE = 24;
/** By what goes into it; the last is this recipe's own. */
const BASE = `localhost/${folderOf('node', [], DEBIAN, MIRROR, VERSIONS[NODE], 1)}`;
/** Its machine's certificates, for networks that have one of their own between. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

const store = join(kubernetesCache, 'images');
const buildah = (...args) => ['--root', join(store, 'root'), '--runroot', join(store, 'run'), ...args];
const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' };

/**
 * Builds deploy/Dockerfile of `source` as `name`, from layers that are kept where nothing changed. Needs root or what buildah
 * needs without, and on the Debian made here root and debootstrap.
 *
 * @param {import('../setup/step.mjs').Step} step
 * @param {string} name Such as `localhost/adit:now`.
 * @param {object} [of]
 * @param {string} [of.source] A clone, or a tree of another commit.
 * @param {string} [of.nodeImage] What it is built on, of a registry; without one a Debian made here, which believes this machine's
 *   certificates.
 * @param {string} [of.variant]
 * @param {string[]} [of.platforms] Makes a list of images under that name; none is this machine's, an image.
 * @param {string[]} [of.arguments] More `NAME=value` of the build.
 */
export async function buildImage(step, name, of = {}) {
  const { source = repositoryRoot, nodeImage, variant = 'cpu', platforms = [], arguments: more = [] } = of;
  mkdirSync(store, { recursive: true });
  await withLock(join(store, 'build.lock'), async () => {
    if (nodeImage === undefined) await ensureBase(step);
    step.begin(`Building ${name} of deploy/Dockerfile (a quarter of an hour the first time)`);
    const scratch = mkdtempSync(join(tmpdir(), 'adit-image-'));
    try {
      const file = join(scratch, 'Dockerfile');
      // Debian's buildah leaves a stage out that only an argument names.
      const text = readFileSync(join(source, 'deploy/Dockerfile'), 'utf8').replace(
        'FROM runtime-${VARIANT}',
        `FROM runtime-${variant}`,
      );
      writeFileSync(file, text);
      // A list keeps what an earlier build put into it.
      if (platforms.length > 0)
        await step.exec('buildah', buildah('rmi', '--force', name), { env }).catch(() => undefined);
      const named = platforms.length > 0 ? ['--platform', platforms.join(','), '--manifest', name] : ['--tag', name];
      await step.exec(
        'buildah',
        buildah(
          ...[
            'build',
            '--network=host',
            nodeImage === undefined ? '--pull-never' : '--pull',
            '--layers',
            '--format=oci',
          ],
          ...[`NODE_IMAGE=${nodeImage ?? BASE}`, `VARIANT=${variant}`, ...more].map((each) => `--build-arg=${each}`),
          ...['--file', file, ...named, source],
        ),
        { env },
      );
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}

/** An image of nothing but one program, which is its entry point. */
export async function programImage(step, path, name) {
  step.begin(`Making ${name}`);
  const scratch = mkdtempSync(join(tmpdir(), 'adit-image-'));
  try {
    cpSync(path, join(scratch, 'program'));
    writeFileSync(join(scratch, 'Dockerfile'), 'FROM scratch\nCOPY program /program\nENTRYPOINT ["/program"]\n');
    await step.exec('buildah', buildah('build', '--pull-never', '--format=oci', '--tag', name, scratch), { env });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Builds an image on the Debian of the others from the lines of a Dockerfile; `fill` puts what they copy into the folder.
 *
 * @param {import('../setup/step.mjs').Step} step
 * @param {string} name
 * @param {string[]} lines After `FROM`.
 * @param {(folder: string) => void} fill
 */
export async function debianImage(step, name, lines, fill) {
  mkdirSync(store, { recursive: true });
  await withLock(join(store, 'build.lock'), async () => {
    await ensureBase(step);
    step.begin(`Making ${name}`);
    const scratch = mkdtempSync(join(tmpdir(), 'adit-image-'));
    try {
      fill(scratch);
      writeFileSync(join(scratch, 'Dockerfile'), [`FROM ${BASE}`, ...lines, ''].join('\n'));
      await step.exec(
        'buildah',
        buildah('build', '--network=host', '--pull-never', '--layers', '--format=oci', '--tag', name, scratch),
        { env },
      );
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}

/** Writes the image, or a list of them with all that it names, to a file that `ctr images import` and `skopeo` take. */
export async function exportImage(step, name, file, { isList = false } = {}) {
  step.begin(`Exporting ${name}`);
  const push = isList ? ['manifest', 'push', '--all'] : ['push'];
  rmSync(file, { force: true });
  await step.exec('buildah', buildah(...push, name, `oci-archive:${file}:${name}`), { env });
}

async function ensureBase(step) {
  const listed = await step.exec('buildah', buildah('images', '--quiet', '--filter', `reference=${BASE}`), { env });
  if (listed.trim() !== '') return;
  const node = await ensureNode(step, NODE);
  step.begin('Making a Debian with Node for the image');
  const scratch = mkdtempSync(join(tmpdir(), 'adit-base-'));
  const root = join(scratch, 'root');
  try {
    await step.exec('debootstrap', ['--variant=minbase', '--include=ca-certificates', DEBIAN, root, MIRROR]);
    rmSync(join(root, 'var/cache/apt/archives'), { recursive: true, force: true });
    mkdirSync(join(root, 'var/cache/apt/archives/partial'), { recursive: true });
    cpSync(node, join(root, 'usr/local/bin/node'));
    chmodSync(join(root, 'usr/local/bin/node'), 0o755);
    const npm = resolve(dirname(realpathSync(onPath('npm'))), '..');
    cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
    const lines = ['FROM scratch', 'ADD root.tar /'];
    if (existsSync(CERTIFICATES)) {
      cpSync(CERTIFICATES, join(root, CERTIFICATES));
      lines.push(`ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`);
    }
    await step.exec('tar', ['-C', root, '--numeric-owner', '-cf', join(scratch, 'root.tar'), '.']);
    rmSync(root, { recursive: true, force: true });
    writeFileSync(join(scratch, 'Dockerfile'), `${lines.join('\n')}\n`);
    await step.exec('buildah', buildah('build', '--pull-never', '--format=oci', '--tag', BASE, scratch), { env });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
