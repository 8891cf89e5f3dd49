import { constants } from 'node:fs';
import { access, mkdir, statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { EMBEDDED_DATABASE } from '@adit/database/pglite-start';
import { ModelRepository, OnnxSession, type Provider } from '@adit/inference';
import { missingConfinement, networkShutBy, SourceSettings } from '@adit/media';
import { fetchedModels, modelsRoot, pullableModels, pulledFiles, readCatalogue } from '@adit/models';
import { folderBytes, loadConfig } from '@adit/runtime';
import { databaseFindings } from './doctor-database.js';
import { ffmpegFindings } from './doctor-ffmpeg.js';
import { objectsFindings } from './doctor-objects.js';
import { platformFindings } from './doctor-platforms.js';
import { precisionFindings } from './doctor-precision.js';
import { signInFindings } from './doctor-sign-in.js';
import type { Finding } from './finding.js';
import { cacheFolder, type CliSettings } from '../../settings.js';

type Check = () => Promise<Finding[]>;

const GIB = 1024 ** 3;
/** An embedded engine that mines a film stays below 1.5 GiB. */
const NEEDED_MEMORY = 2 * GIB;
const NEEDED_DISK = 5 * GIB;
const INSTALL_WEIGHTS =
  'Run "npm run setup" to install the weights; in an image without them mount a filled model folder over /adit/models.';

/** In the order in which a person would look. */
export function doctorChecks(settings: CliSettings): Check[] {
  return [
    node,
    ffmpegFindings,
    confinement,
    () => platformFindings(loadConfig(SourceSettings).ytDlp),
    weights,
    () => models(settings),
    () => pulledModels(settings),
    memory,
    () => disk(settings.dataDir),
    () => usedDisk(settings.dataDir),
    databaseFindings,
    objectsFindings,
    () => signInFindings(),
    () => inference(settings),
  ];
}

function node(): Promise<Finding[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fine = major > 20 || (major === 20 && minor >= 19);
  const what = `Node ${process.versions.node} on ${process.platform}-${process.arch}, ${availableParallelism()} cores`;
  return one(
    fine
      ? { state: 'good', what }
      : { state: 'bad', what, advice: 'Install Node 24 LTS; 20.19 is the oldest that will do.' },
  );
}

/** Checks the confinement of hostile films: the layers between them and the rest of the machine. */
async function confinement(): Promise<Finding[]> {
  const shutBy = await networkShutBy();
  const good = shutBy === null ? 'ffmpeg runs without secrets' : `ffmpeg runs without secrets and network (${shutBy})`;
  const missing = (await missingConfinement()).map((lack): Finding => {
    const [what = lack, ...advice] = lack.split(': ');
    return { state: 'warning', what, advice: advice.join(': ') };
  });
  return [{ state: 'good', what: good }, ...missing];
}

async function weights(): Promise<Finding[]> {
  const repository = await ModelRepository.open({ roots: [modelsRoot()] });
  const { models: catalogue } = await readCatalogue();
  const findings = catalogue.map(({ name, version, sha256, licence }): Finding => {
    const model = repository.list().find(({ pin }) => pin.name === name && pin.version === version);
    if (model === undefined)
      return { state: 'bad', what: `weights ${name} ${version} are not installed`, advice: INSTALL_WEIGHTS };
    if (!model.files.some((file) => file.sha256 === sha256)) {
      return {
        state: 'bad',
        what: `weights ${name} ${version} are not the verified ones`,
        advice: `Remove ${model.folder}. ${INSTALL_WEIGHTS}`,
      };
    }
    return { state: 'good', what: `weights ${name} ${version}, verified (${licence})` };
  });
  await repository.close();
  return findings;
}

async function models({ userModels }: CliSettings): Promise<Finding[]> {
  const repository = await ModelRepository.open({ roots: [userModels] });
  const own = repository.list();
  const problems = repository.problems();
  await repository.close();
  return [
    { state: 'good', what: `${own.length} models and galleries of your own in ${userModels}` },
    ...problems.map(({ folder, message }): Finding => ({
      state: 'warning',
      what: `${folder} is not served`,
      advice: message,
    })),
  ];
}

/** Tells whether the models that do not come with Adit were pulled. */
export async function pulledModels(
  {
    modelRoots,
    userModels,
    inference: { modelsDir },
  }: Pick<CliSettings, 'modelRoots' | 'userModels'> & { inference: Pick<CliSettings['inference'], 'modelsDir'> },
  cacheDir = cacheFolder(),
): Promise<Finding[]> {
  const repository = await ModelRepository.open({ roots: modelRoots });
  const here = new Set(repository.list().map(({ pin }) => pin.name));
  await repository.close();
  // See placeFetched.
  const fetched = modelsDir === undefined ? await fetchedModels(cacheDir) : [];
  return pullableModels().map(({ name, purpose, bytes, licence }): Finding => {
    if ([...pulledFiles(name).keys()].every((part) => here.has(part)))
      return { state: 'good', what: `${name} ${purpose}` };
    if (fetched.includes(name))
      return { state: 'good', what: `${name} ${purpose}; the next start puts it into ${userModels}` };
    return {
      state: 'warning',
      what: `${name} is not in ${userModels}: it ${purpose}`,
      advice: `adit model pull ${name} (${licence}, ${Math.round(bytes / 1e6)} MB), unless the repository that all processes share has it.`,
    };
  });
}

function memory(): Promise<Finding[]> {
  return one(
    memoryFinding({ limit: process.constrainedMemory(), machine: totalmem(), available: process.availableMemory() }),
  );
}

/**
 * A container's limit is what counts, not the machine's memory. `limit`: of the control group, whichever version; 0 or more
 * than any machine has where there is none. All in bytes.
 */
export function memoryFinding({
  limit,
  machine,
  available,
}: Record<'limit' | 'machine' | 'available', number>): Finding {
  const total = limit > 0 ? Math.min(limit, machine) : machine;
  const what = `memory: ${gib(Math.min(available, total))} free of ${gib(total)}`;
  if (total >= NEEDED_MEMORY) return { state: 'good', what };
  return {
    state: 'warning',
    what,
    advice: 'Films need up to 1.5 GiB; give the machine or container 2 GiB or more.',
  };
}

/** Contents of a data folder, by kind. */
const KINDS: [what: string, folders: string[]][] = [
  ['uploads', ['objects/objects/storage']],
  ['jobs', ['objects/objects/jobs', 'objects/objects/exports']],
  ['cache', ['objects/objects/media']],
  ['database', [EMBEDDED_DATABASE]],
  ['work', ['work', 'objects/incoming']],
];

/** Looked at where it lies, so that it can be told while an engine runs, and while none does. */
export async function usedDisk(dataDir: string): Promise<Finding[]> {
  const sums = await Promise.all(
    KINDS.map(async ([what, folders]) => {
      const found = await Promise.all(folders.map((folder) => folderBytes(join(dataDir, folder))));
      const more = found.every(({ isWhole }) => isWhole) ? '' : 'more than ';
      return `${what} ${more}${mib(found.reduce((sum, { bytes }) => sum + bytes, 0))}`;
    }),
  );
  return one({ state: 'good', what: `used by the data folder: ${sums.join(', ')}` });
}

async function disk(dataDir: string): Promise<Finding[]> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK);
  } catch {
    return one({
      state: 'bad',
      what: `${dataDir} cannot be written`,
      advice: 'Set ADIT_DATA_DIR to a folder that can.',
    });
  }
  const { bavail, bsize } = await statfs(dataDir);
  const what = `disk: ${gib(bavail * bsize)} free at ${dataDir}`;
  if (bavail * bsize >= NEEDED_DISK) return one({ state: 'good', what });
  return one({
    state: 'warning',
    what,
    advice: 'Sources and frames of running jobs need room; free some, or set ADIT_DATA_DIR.',
  });
}

/** Loads a real network with the configured providers: the only answer that counts. */
async function inference({ modelRoots, inference: config }: CliSettings): Promise<Finding[]> {
  const repository = await ModelRepository.open({ roots: modelRoots });
  const networks = repository.list().filter(({ manifest }) => manifest.kind === 'network');
  await repository.close();
  const sizeOf = (model: (typeof networks)[number]) => model.files.reduce((sum, file) => sum + file.size, 0);
  const [smallest] = networks.sort((a, b) => sizeOf(a) - sizeOf(b));
  if (smallest === undefined) return one({ state: 'bad', what: 'no network can be run', advice: INSTALL_WEIGHTS });
  const findings = await providerFindings(join(smallest.folder, 'model.onnx'), config.providers);
  findings.push(...(await precisionFindings(networks, config)));
  const gpu = await access('/proc/driver/nvidia/version').then(
    () => true,
    () => false,
  );
  if (gpu && !config.providers.includes('cuda')) {
    findings.push({
      state: 'warning',
      what: 'an NVIDIA GPU is here and not used',
      advice: 'Set ADIT_PROVIDERS=cuda,cpu to run the networks on it.',
    });
  }
  return findings;
}

/** Findings about the providers that a graph runs on; nothing runs if none of them works. */
export async function providerFindings(graph: string, providers: Provider[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const wanted = `ADIT_PROVIDERS=${providers.join(',')}`;
  try {
    const session = await OnnxSession.load(graph, {
      providers,
      threads: 1,
      onFallback: (from, to, reason) => {
        const [first = ''] = reason.split('\n');
        findings.push({ state: 'warning', what: `${from} cannot be used, ${to} is used instead`, advice: first });
      },
    });
    await session.release();
    findings.push({ state: 'good', what: `inference runs on ${session.provider} (${wanted})` });
  } catch (error) {
    findings.push({ state: 'bad', what: `no model can be run (${wanted})`, advice: AditError.from(error).message });
  }
  return findings;
}

function one(finding: Finding): Promise<Finding[]> {
  return Promise.resolve([finding]);
}

function mib(bytes: number): string {
  return bytes < GIB ? `${Math.ceil(bytes / 1024 ** 2)} MiB` : gib(bytes);
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
