import { AditError } from '@adit/contracts';
import { ffmpegInfo, missingParts, TRIED_FFMPEG, untriedFfmpeg } from '@adit/media';
import type { Finding } from './finding.js';

/** Findings about ffmpeg: its version, and what this build of it lacks. */
export async function ffmpegFindings(): Promise<Finding[]> {
  try {
    const { path, probePath, version, filters } = await ffmpegInfo();
    const tried = `tried: ${TRIED_FFMPEG.join(', ')}`;
    const findings: Finding[] = [
      { state: 'good', what: `ffmpeg ${version} at ${path}, ffprobe at ${probePath} (${tried})` },
    ];
    const untried = untriedFfmpeg(version);
    if (untried !== null) {
      const advice = 'Look at its results, or name one of those versions in ADIT_FFMPEG and ADIT_FFPROBE.';
      findings.push({ state: 'warning', what: untried, advice });
    }
    findings.push(...(await lackFindings()));
    if (!filters.has('bwdif') && !filters.has('yadif')) {
      findings.push({
        state: 'warning',
        what: 'ffmpeg cannot deinterlace',
        advice: 'Interlaced films will be mined with combs in motion.',
      });
    }
    if (!filters.has('zscale') || !filters.has('tonemap')) {
      findings.push({
        state: 'warning',
        what: 'ffmpeg cannot tone-map HDR (no zscale)',
        advice: 'HDR films will look pale to the models; install ffmpeg 5 or newer.',
      });
    }
    return findings;
  } catch (error) {
    return [{ state: 'bad', what: 'ffmpeg', advice: AditError.from(error).message }];
  }
}

async function lackFindings(): Promise<Finding[]> {
  const missing = await missingParts();
  const findings = missing
    .filter(({ part }) => part !== 'decoder')
    .map(({ part, name }): Finding => {
      const zlib = name === 'png' ? ' PNG needs zlib.' : '';
      const advice = `Decoding or thumbnails fail with INTERNAL. Install a complete build of ffmpeg.${zlib}`;
      return { state: 'bad', what: `ffmpeg has no ${part} ${name}`, advice };
    });
  const undecoded = missing.filter(({ part }) => part === 'decoder').map(({ name }) => name);
  if (undecoded.length > 0) {
    findings.push({
      state: 'warning',
      what: `ffmpeg cannot decode ${undecoded.join(', ')}`,
      advice: 'Media with these codecs are refused. Install a complete build of ffmpeg.',
    });
  }
  return findings;
}
