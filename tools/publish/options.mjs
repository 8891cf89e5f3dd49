// Options of `npm run publish`.
import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SetupError } from '../setup/step.mjs';

export const STEPS = ['images', 'chart', 'sbom', 'packages', 'signature'];

export const USAGE = `Makes what a release consists of, as files; with --push it goes to your registry.

  npm run publish -- --registry registry.example.org/adit
  npm run publish -- --registry registry.example.org/adit --push --key cosign.key

  --registry <host/path>   where images and the chart go, and what the chart names as its image (required)
  --push                   push; without it nothing leaves this machine
  --out <folder>           where the files go (out/release-<version>)
  --only <steps>           these alone: ${STEPS.join(', ')}
  --skip <steps>           all but these
  --key <file>             a private key of cosign, its password in COSIGN_PASSWORD: signs what was pushed and the list of files
  --plain-http             speak HTTP to the registry

Images are built by buildah from deploy/Dockerfile, unless you have one:
  --image <source>         take this one, as skopeo names it: docker-daemon:adit:latest, oci-archive:<file>, docker://…
  --platform <platforms>   linux/amd64,linux/arm64; other ones than this machine's need emulation (that of this machine)
  --variants <variants>    cpu, or cpu,cuda (cpu)
  --node-image <name>      the image that it is built on (the Dockerfile's); "debian" makes one of Debian's packages instead

  --help                   this text

  images      <registry>/adit:<version>, <version>-cuda; as a file an OCI archive. Lists what is inside as CycloneDX
  chart       <registry>/charts/adit, and as a .tgz
  sbom        CycloneDX of the npm packages that services run on, from the lockfile
  packages    @adit/client for npm (.tgz), adit-client for pip (.whl, .tar.gz)
  signature   SHA256SUMS of all files; signed with --key, as are images and chart, to which the lists are attested

Registries are logged in to by "skopeo login", "helm registry login" and "cosign login". docs/internals/publishing.md has the rest.`;

const OPTIONS = {
  ...{ registry: { type: 'string' }, push: { type: 'boolean', default: false }, out: { type: 'string' } },
  ...{ only: { type: 'string' }, skip: { type: 'string' }, key: { type: 'string' }, image: { type: 'string' } },
  ...{ platform: { type: 'string' }, variants: { type: 'string', default: 'cpu' }, 'node-image': { type: 'string' } },
  ...{ 'plain-http': { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
};
/** Host with a port, and at least one part of a path: no scheme, no tag. */
const REGISTRY =
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+$/;
const PLATFORM = /^linux\/(amd64|arm64)$/;

/**
 * Reads the options; null for the usage. Paths are relative to `from`. Throws a SetupError that says what is wrong.
 *
 * @param {string[]} args
 * @param {string} from
 */
export function optionsOf(args, from) {
  const values = parsed(args);
  if (values.help) return null;
  const { registry = '' } = values;
  if (!REGISTRY.test(registry)) {
    throw new SetupError(`--registry takes host/path, such as registry.example.org/adit, not "${registry}".`);
  }
  const platforms = listOf(values.platform);
  const wrong = platforms.find((platform) => !PLATFORM.test(platform));
  if (wrong !== undefined) throw new SetupError(`--platform takes linux/amd64 and linux/arm64, not "${wrong}".`);
  const variants = among('--variants', values.variants, ['cpu', 'cuda']);
  if (
    values.image !== undefined &&
    (variants.length > 1 || platforms.length > 0 || values['node-image'] !== undefined)
  ) {
    throw new SetupError(
      '--image is one that is built: it takes one of --variants, no --platform and no --node-image.',
    );
  }
  if (values['node-image'] === 'debian' && platforms.length > 0) {
    throw new SetupError('--node-image debian is made for this machine alone: leave --platform out.');
  }
  const at = (path) => path && (isAbsolute(path) ? path : resolve(from, path));
  return {
    ...{ registry, push: values.push, plainHttp: values['plain-http'], steps: stepsOf(values) },
    ...{ out: at(values.out), key: at(values.key), image: values.image, platforms, variants },
    nodeImage: values['node-image'],
  };
}

function parsed(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new SetupError(`${error.message}\n\n${USAGE}`);
  }
}

function stepsOf({ only, skip }) {
  const kept = only === undefined ? STEPS : among('--only', only, STEPS);
  const left = among('--skip', skip, STEPS);
  return STEPS.filter((name) => kept.includes(name) && !left.includes(name));
}

function among(option, text, known) {
  const names = listOf(text);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new SetupError(`${option} takes ${known.join(', ')}, not "${unknown}".`);
  return names;
}

function listOf(text = '') {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}
