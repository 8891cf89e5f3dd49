import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ErrorCode, MediaType } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import type { HostileOrigin } from './hostile-origin.js';

/** The expected answer of a row. */
export type Expected =
  /** At once, with problem details of this code that say this. */
  | { status: number; code: ErrorCode; says?: RegExp }
  /** A job that fails, with a reason; it has no results, or at most those of the sources before the last, the bad one. */
  | { failed: RegExp; keeps?: 'what was done' }
  /** A job that completes, with these results; each of `errors` is found in the job's errors, in order. */
  | {
      completed: {
        type: MediaType;
        faces?: number | 'some';
        frames?: number;
        size?: [number, number];
        errors?: RegExp[];
      };
    }
  /** A good reply at once, that holds this. */
  | { reply: Record<string, unknown> };

/** One request; `body` is sent as JSON unless it is text already. */
export interface Ask {
  method?: string;
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Null sends none. */
  key?: string | null;
}

export interface Row {
  name: string;
  ask(place: Place): Ask | Promise<Ask>;
  expected: Expected;
}

const { groups, faces } = sampleMedia();

/** Files and addresses that the rows use. */
export class Place {
  readonly photo = groups['sample1']!;
  /** Job that the engine's own workspace has ended. */
  jobId = '';
  /** Key of a file of which half has come. */
  unfinished = '';

  private constructor(
    /** The only folder that jobs may read. */
    readonly root: string,
    readonly outside: string,
    readonly origin: HostileOrigin,
    readonly neighbourKey: string,
  ) {}

  static async make(folder: string, origin: HostileOrigin, neighbourKey: string): Promise<Place> {
    const place = new Place(join(folder, 'root'), join(folder, 'outside'), origin, neighbourKey);
    await mkdir(join(place.root, 'folder'), { recursive: true });
    await mkdir(place.outside);
    for (const path of [place.at('neighbour.jpg'), ...place.secrets]) {
      await writeFile(path, await place.people());
      // So far in the past that the kernel notes the next reading, even where it leaves most of them out.
      await utimes(path, 0, 0);
    }
    await promisify(execFile)('mkfifo', [place.at('pipe')]);
    await symlink(join(place.outside, 'secret.jpg'), place.at('way-out.jpg'));
    await symlink(place.outside, place.at('way-out'));
    await symlink(place.at('circle'), place.at('circle'));
    await symlink(place.at('neighbour.jpg'), place.at('way-round.jpg'));
    return place;
  }

  /** Pictures of people that no row may bring to light: one beside the playlists, one outside the root. */
  get secrets(): string[] {
    return [this.at('secret.jpg'), join(this.outside, 'secret.jpg')];
  }

  at(name: string): string {
    return join(this.root, name);
  }

  async put(name: string, bytes: Buffer | string): Promise<string> {
    await writeFile(this.at(name), bytes);
    return this.at(name);
  }

  /** A JPEG of three people. */
  people(): Promise<Buffer> {
    return readFile(this.photo);
  }

  /** A JPEG of one woman. */
  woman(): Promise<Buffer> {
    return readFile(faces['audrey']!);
  }
}
