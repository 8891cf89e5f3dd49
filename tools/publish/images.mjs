// Images of the release: built here or given, as an archive, pushed with what is inside them listed.
import { readFileSync, rmSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, exportImage } from '../kubernetes/image.mjs';
import { ensureFromDebian } from '../setup/debian.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';
import { described } from './release.mjs';

/** Path in the image of the list of its contents, as deploy/Dockerfile writes it. */
const LIST = 'adit/sbom.cdx.json';

/** @param {import('./run.mjs').Release} release */
export async function makeImages(release) {
  const said = [];
  for (const variant of release.variants) said.push(...(await makeImage(release, variant)));
  return said;
}

async function makeImage(release, variant) {
  const { step, version, registry, push, plainHttp, out } = release;
  await ensureFromDebian(step, 'Installing skopeo from Debian', { skopeo: 'skopeo' });
  const tag = variant === 'cpu' ? version : `${version}-${variant}`;
  const source = release.image ?? (await build(release, variant, tag));
  const scratch = mkdtempSync(join(tmpdir(), 'adit-layout-'));
  try {
    step.begin(`Reading ${source}`);
    await step.exec('skopeo', ['copy', '--all', source, `oci:${scratch}:adit`]);
    const lists = await listsOf(step, scratch);
    const said = release.image === undefined ? [described(source.replace(/^oci-archive:/, ''))] : [];
    const sboms = lists.map(({ digest, platform, text }) => {
      const file = join(out, `adit-${tag}-${platform}.cdx.json`);
      writeFileSync(file, text);
      release.files.push(file);
      said.push(described(file));
      return { digest, file };
    });
    if (push) {
      step.begin(`Pushing ${registry}/adit:${tag}`);
      const digestFile = join(scratch, 'digest');
      const how = ['--all', '--preserve-digests', '--digestfile', digestFile, `--dest-tls-verify=${!plainHttp}`];
      await step.exec('skopeo', ['copy', ...how, `oci:${scratch}:adit`, `docker://${registry}/adit:${tag}`]);
      const digest = readFileSync(digestFile, 'utf8').trim();
      const at = (each) => `${registry}/adit@${each}`;
      release.pushed.push({
        reference: at(digest),
        sboms: sboms.map(({ digest: inside, file }) => ({ reference: at(inside), file })),
      });
      said.push(`pushed ${registry}/adit:${tag}, ${digest}`);
    }
    return said;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Answers the archive as skopeo names it. */
async function build({ step, revision, platforms, nodeImage, out, files }, variant, tag) {
  await ensureFromDebian(step, 'Installing buildah from Debian', {
    buildah: 'buildah',
    ...(nodeImage === 'debian' && { debootstrap: 'debootstrap' }),
  });
  const dockerfile = readFileSync(join(repositoryRoot, 'deploy/Dockerfile'), 'utf8');
  const named = (argument) => new RegExp(`^ARG ${argument}=(\\S+)`, 'm').exec(dockerfile)[1];
  const name = `localhost/adit:${tag}`;
  await buildImage(step, name, {
    // Not every machine has a list of registries for short names.
    nodeImage: nodeImage === 'debian' ? undefined : (nodeImage ?? `docker.io/library/${named('NODE_IMAGE')}`),
    ...{ variant, platforms },
    arguments: [`REVISION=${revision}`, `CUDA_IMAGE=docker.io/${named('CUDA_IMAGE')}`],
  });
  const file = join(out, `adit-${tag}.oci.tar`);
  await exportImage(step, name, file, { isList: platforms.length > 0 });
  files.push(file);
  return `oci-archive:${file}`;
}

/**
 * Reads the contents of each image of an OCI layout: of one, or of a list of several platforms. Throws a SetupError for an
 * image that deploy/Dockerfile did not make.
 */
export async function listsOf(step, layout) {
  const blobOf = (digest) => join(layout, 'blobs', digest.replace(':', '/'));
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const found = [];
  const visit = async ({ digest }) => {
    const { manifests, layers, config } = read(blobOf(digest));
    for (const each of manifests ?? []) await visit(each);
    if (layers === undefined) return;
    const { os, architecture } = read(blobOf(config.digest));
    const text = await fromLayers(
      step,
      layers.map((layer) => blobOf(layer.digest)),
    );
    if (text === null)
      throw new SetupError(`The image of ${os}/${architecture} has no /${LIST}: is it made of deploy/Dockerfile?`);
    found.push({ digest, platform: `${os}-${architecture}`, text });
  };
  for (const each of read(join(layout, 'index.json')).manifests) await visit(each);
  return found;
}

/** The file as the last layer that has it holds it. */
async function fromLayers(step, layers) {
  for (const layer of layers.toReversed()) {
    // tar knows the compression by itself.
    const names = (await step.exec('tar', ['-tf', layer])).split('\n');
    const name = names.find((each) => each.replace(/^\.?\//, '') === LIST);
    if (name !== undefined) return await step.exec('tar', ['-xOf', layer, name]);
  }
  return null;
}
