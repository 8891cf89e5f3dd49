import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { AditError } from '@adit/contracts';
import { childText } from '../sandbox/run-child.js';

const HOW_TO_INSTALL =
  'Install it (Debian/Ubuntu: apt-get install ffmpeg; macOS: brew install ffmpeg) or name the binaries in ADIT_FFMPEG and ADIT_FFPROBE.';

/** Filters that decoding uses when the build has them; the last four only for interlaced and HDR films. */
const WANTED_FILTERS = ['select', 'scale', 'colorspace', 'bwdif', 'yadif', 'zscale', 'tonemap'] as const;
export type FfmpegFilter = (typeof WANTED_FILTERS)[number];

interface FfmpegInfo {
  path: string;
  probePath: string;
  version: string;
  /** The subset of the wanted filters that this build has. */
  filters: ReadonlySet<FfmpegFilter>;
  /**
   * `-fps_mode` came with 5.1 and replaces `-vsync`, which 8 removed; git builds have no version number to decide by.
   */
  fpsModeOption: '-fps_mode' | '-vsync';
}

const found = new Map<string, Promise<string>>();
const infos = new Map<string, Promise<FfmpegInfo>>();

/** Path of ffmpeg: ADIT_FFMPEG, else on the PATH. Throws INTERNAL when there is none. */
export function ffmpegPath(): Promise<string> {
  return locate('ffmpeg', process.env.ADIT_FFMPEG);
}

/** Path of ffprobe: ADIT_FFPROBE, else on the PATH. Throws INTERNAL when there is none. */
export function ffprobePath(): Promise<string> {
  return locate('ffprobe', process.env.ADIT_FFPROBE);
}

/** Returns ffmpeg's path, version and available filters; queried once per binary. */
export async function ffmpegInfo(): Promise<FfmpegInfo> {
  const [path, probePath] = await Promise.all([ffmpegPath(), ffprobePath()]);
  let info = infos.get(path);
  if (!info) {
    info = inspect(path, probePath);
    infos.set(path, info);
    info.catch(() => infos.delete(path));
  }
  return info;
}

async function inspect(path: string, probePath: string): Promise<FfmpegInfo> {
  try {
    const [version, filters, help] = await Promise.all([
      childText(path, ['-hide_banner', '-version']),
      childText(path, ['-hide_banner', '-filters']),
      childText(path, ['-hide_banner', '-h', 'long']),
    ]);
    const names = new Set(filters.split('\n').map((line) => line.trim().split(/\s+/)[1]));
    return {
      path,
      probePath,
      version: /version (\S+)/.exec(version)?.[1] ?? 'unknown',
      filters: new Set(WANTED_FILTERS.filter((name) => names.has(name))),
      fpsModeOption: help.includes('-fps_mode') ? '-fps_mode' : '-vsync',
    };
  } catch (error) {
    throw new AditError('INTERNAL', `${path} does not run as ffmpeg. ${HOW_TO_INSTALL}`, { cause: error });
  }
}

function locate(name: string, configured: string | undefined): Promise<string> {
  const key = `${name}\0${configured ?? ''}\0${process.env.PATH ?? ''}`;
  let path = found.get(key);
  if (!path) {
    path = find(name, configured);
    found.set(key, path);
    // A later installation is found without a restart.
    path.catch(() => found.delete(key));
  }
  return path;
}

async function find(name: string, configured: string | undefined): Promise<string> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  const candidates = configured ? [configured] : folders.map((folder) => join(folder, name + suffix));
  for (const candidate of candidates) {
    const usable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return candidate;
  }
  const where = configured ? `${configured} is not an executable file` : `${name} was not found on the PATH`;
  throw new AditError('INTERNAL', `${where}. ${HOW_TO_INSTALL}`);
}
