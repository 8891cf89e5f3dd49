/** Order of the engine to its launcher. */
export type LauncherOrder =
  | {
      run: number;
      /** Secret that its streams begin with, since any program of the same user may open the socket. */
      token: string;
      words: [string, ...string[]];
      env: NodeJS.ProcessEnv;
      /** Reads its standard output. */
      output: boolean;
      /** Starts it as a process group of its own, which is killed as one. */
      group: boolean;
    }
  | { stop: number };

/** Reports of the launcher; `ready` comes first. */
export type LauncherReport =
  | { ready: true }
  | { run: number; pid: number }
  | { run: number; code: number | null; killedBy: NodeJS.Signals | null }
  | { run: number; failure: string }
  /** The start failed for lack of resources, through no fault of the program. */
  | { run: number; unavailable: string };

export type StreamName = 'stdout' | 'stderr';

/** Returns the first line of a stream, which identifies the child and the stream. */
export function streamHead(run: number, token: string, name: StreamName): string {
  return `${run} ${token} ${name}\n`;
}

/** Acknowledgement of the engine that it reads a stream. */
export const TAKEN = '\n';

/** Upper bound of a head's length. */
export const MAX_HEAD_BYTES = 100;
