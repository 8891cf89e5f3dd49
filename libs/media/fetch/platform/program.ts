import { AditError } from '@adit/contracts';
import { runChild } from '../../sandbox/run-child.js';

/** Program when none is named. */
export const YT_DLP = 'yt-dlp';
/** Name of the setting's value that permits no platform. */
export const NO_YT_DLP = 'off';
/** The first with every option that is used here: it knows which programs may run a player's scripts. */
const OLDEST = '2025.11.12';
/** Platforms change their players every few weeks; yt-dlp itself warns after so many days. */
const FRESH_DAYS = 90;
export const HOW_TO_INSTALL = 'pip install "yt-dlp[default]", or name the program in ADIT_YT_DLP.';

/** What is known of the yt-dlp here. */
export type YtDlpState =
  | { kind: 'off' }
  | { kind: 'missing'; advice: string }
  /** Cannot do what is asked of it; `version` null where it said none. */
  | { kind: 'too-old'; version: string | null; advice: string }
  | { kind: 'works'; version: string; isStale: boolean };

/** Starts yt-dlp once to see which one it is. `program`: ADIT_YT_DLP. */
export async function ytDlpState(program: string = YT_DLP, now: Date = new Date()): Promise<YtDlpState> {
  if (program === NO_YT_DLP) return { kind: 'off' };
  let output = '';
  const { code } = await runChild({
    program,
    args: ['--ignore-config', '--version'],
    doing: 'yt-dlp',
    timeoutSeconds: 30,
    environment: ['HOME'],
    onOutput: (piece) => (output = (output + piece.toString()).slice(0, 200)),
  });
  if (code === 127) return { kind: 'missing', advice: HOW_TO_INSTALL };
  const [version] = /^\d{4}\.\d{2}\.\d{2}(?=\D|$)/.exec(output.trim()) ?? [];
  if (code !== 0 || version === undefined || version < OLDEST) {
    return { kind: 'too-old', version: version ?? null, advice: `Adit needs ${OLDEST} or newer: ${HOW_TO_INSTALL}` };
  }
  const days = (now.getTime() - Date.parse(version.replaceAll('.', '-'))) / 86_400_000;
  return { kind: 'works', version, isStale: days > FRESH_DAYS };
}

/** Returns the reason why films of platforms cannot be downloaded here; null when none is known. */
export async function platformFault(program?: string): Promise<string | null> {
  const state = await ytDlpState(program);
  return state.kind === 'works' ? null : faultOf(state, 'YouTube and Vimeo').message;
}

export function faultOf(state: Exclude<YtDlpState, { kind: 'works' }>, hosts: string): AditError {
  return new AditError('SOURCE_REFUSED', `Films of ${hosts} ${lackOf(state)}`);
}

function lackOf(state: Exclude<YtDlpState, { kind: 'works' }>): string {
  switch (state.kind) {
    case 'off':
      return 'are not fetched here (ADIT_YT_DLP=off).';
    case 'missing':
      return `need yt-dlp, which is not installed: ${state.advice}`;
    case 'too-old':
      return `need a newer yt-dlp than the one here (${state.version ?? 'without a version'}). ${state.advice}`;
  }
}
