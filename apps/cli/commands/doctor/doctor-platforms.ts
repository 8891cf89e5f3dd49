import { ytDlpState } from '@adit/media';
import type { Finding } from './finding.js';

/** Tells whether films of YouTube and Vimeo can be had, and by which yt-dlp. @param program ADIT_YT_DLP */
export async function platformFindings(program: string, now?: Date): Promise<Finding[]> {
  const state = await ytDlpState(program, now);
  switch (state.kind) {
    case 'off':
      return [{ state: 'good', what: 'jobs on addresses of YouTube and Vimeo are refused (ADIT_YT_DLP=off)' }];
    case 'missing':
      return [
        {
          state: 'warning',
          what: 'yt-dlp is not installed: jobs on addresses of YouTube and Vimeo are refused',
          advice: state.advice,
        },
      ];
    case 'too-old':
      return [
        {
          state: 'warning',
          what: `yt-dlp ${state.version ?? 'without a version'} is too old for films of YouTube and Vimeo`,
          advice: state.advice,
        },
      ];
    case 'works':
      if (!state.isStale) return [{ state: 'good', what: `yt-dlp ${state.version} gets films of YouTube and Vimeo` }];
      return [
        {
          state: 'warning',
          what: `yt-dlp ${state.version} is months old, and may not get films of YouTube and Vimeo any more`,
          advice: 'pip install --upgrade "yt-dlp[default]": the platforms change every few weeks.',
        },
      ];
  }
}
