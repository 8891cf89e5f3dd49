// Files of public repositories at pinned commits, which are fetched and never committed here.
import { execFile } from 'node:child_process';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FETCH_MS = 300_000;
const MAX_BYTES = 32 * 1024 * 1024;
const cacheDir = process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit');

/** The repositories cannot be had: what is measured without them still counts. */
export class RepositoryError extends Error {
  name = 'RepositoryError';
}

/** `sources`: {name: {repository: 'owner/name', commit}}. A file is named `name/path/in/it`. */
export class RepositoryFiles {
  #opened = new Map();

  constructor(sources) {
    this.sources = sources;
  }

  /** Absolute path of a copy in the cache; git has checked its content by the commit. */
  async path(file) {
    const [name, ...parts] = file.split('/');
    const source = this.sources[name];
    if (source === undefined) throw new RangeError(`No repository is named ${name}.`);
    const target = join(cacheDir, 'eval-media', source.commit, ...parts);
    if (await isThere(target)) return target;
    const folder = await this.#folder(name);
    const { stdout } = await run('git', ['-C', folder, 'cat-file', 'blob', `${source.commit}:${parts.join('/')}`], {
      encoding: 'buffer',
      maxBuffer: MAX_BYTES,
      timeout: FETCH_MS,
    }).catch((error) => failed(`${source.repository} has no ${parts.join('/')}`, error));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(`${target}.${process.pid}`, stdout);
    await rename(`${target}.${process.pid}`, target);
    return target;
  }

  /** Names of what lies at the top of a repository. */
  async list(name) {
    const { repository, commit } = this.sources[name];
    const folder = await this.#folder(name);
    const { stdout } = await run('git', ['-C', folder, 'ls-tree', '--name-only', commit], { timeout: FETCH_MS }).catch(
      (error) => failed(`${repository} has no ${commit}`, error),
    );
    return stdout.split('\n').filter(Boolean);
  }

  #folder(name) {
    if (!this.#opened.has(name)) this.#opened.set(name, this.#open(this.sources[name]));
    return this.#opened.get(name);
  }

  /** A git folder with the commit: below ADIT_EVAL_REPOSITORIES, or fetched without the files, which git brings as they are asked for. */
  async #open({ repository, commit }) {
    const mirrors = process.env.ADIT_EVAL_REPOSITORIES;
    if (mirrors !== undefined) return join(mirrors, repository);
    const folder = join(cacheDir, 'eval-repositories', `${repository.replace('/', '+')}-${commit}`);
    if (await isThere(folder)) return folder;
    const making = `${folder}.${process.pid}`;
    const git = (...args) => run('git', ['-C', making, ...args], { timeout: FETCH_MS });
    await mkdir(making, { recursive: true });
    try {
      await git('init', '--quiet', '--bare');
      await git('remote', 'add', 'origin', `https://github.com/${repository}.git`);
      await git('fetch', '--quiet', '--depth', '1', '--filter', 'blob:none', 'origin', commit);
      await rename(making, folder);
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      failed(`${repository} was not fetched; name a folder of repositories by ADIT_EVAL_REPOSITORIES`, error);
    }
    return folder;
  }
}

function failed(what, error) {
  const [detail = ''] = (error.stderr ?? '').toString().trim().split('\n').slice(-1);
  throw new RepositoryError(detail === '' ? `${what}.` : `${what}: ${detail}`, { cause: error });
}

function isThere(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
