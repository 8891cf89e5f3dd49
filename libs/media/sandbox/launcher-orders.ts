/** What the engine asks of its launcher. */
export type LauncherOrder =
  | {
      run: number;
      /** What its streams begin with, since any program of this machine's user may open the socket. */
      token: string;
      words: [string, ...string[]];
      env: NodeJS.ProcessEnv;
      /** Whether standard output is read. */
      output: boolean;
      /** Whether it gets a process group of its own, which is killed as one. */
      group: boolean;
    }
  | { stop: number };

/** What the launcher says; first of all `ready`. */
export type LauncherReport =
  | { ready: true }
  | { run: number; pid: number }
  | { run: number; code: number | null; killedBy: NodeJS.Signals | null }
  | { run: number; failure: string }
  /** It was not started, through no fault of the program. */
  | { run: number; unavailable: string };

export type StreamName = 'stdout' | 'stderr';

/** How a socket of the launcher says whose output comes through it. */
export function streamHead(run: number, token: string, name: StreamName): string {
  return `${run} ${token} ${name}\n`;
}

/** What the engine answers once it reads a stream. */
export const TAKEN = '\n';

/** More than any head has. */
export const MOST_HEAD_BYTES = 100;
