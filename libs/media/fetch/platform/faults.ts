import { AditError } from '@adit/contracts';
import { tooLarge, type CopyLimits } from '../private-file.js';
import { faultOf, HOW_TO_INSTALL } from './program.js';

interface Ended {
  code: number | null;
  killedBy: NodeJS.Signals | null;
  stderr: string;
}

interface Circumstances {
  url: URL;
  /** What the proxy last refused or could not reach. */
  fault: AditError | null;
  limits: Pick<CopyLimits, 'maxBytes'>;
}

const HOW = 'See adit doctor.';
/** Exit codes of yt-dlp that say more than that it failed. */
const WRONG_OPTION = 2;
const FILTERED = 101;

const THROUGH_PROXY = /tunnel connection failed|unable to connect to proxy|proxyerror|http error 405/i;
const PASSING =
  /timed out|timeout|connection (reset|aborted|refused|broken)|remote end closed|temporary failure|incompleteread|more expected|unexpected_eof|eof occurred|http error (408|429|5\d\d)|too many requests|rate.?limit|not a bot|try again later/i;
const DISK_FULL = /no space left on device|disk quota exceeded/i;
const FILE_FULL = /file too large/i;
const OUT_OF_MEMORY = /memoryerror|cannot allocate memory|out of memory/i;
const LIVE = /live event will begin|premieres? (in|will begin)|live stream recording is not available|is live\b/i;
/** What yt-dlp adds for its own authors: Python's name of the error, and to unexpected ones where to report them. */
const FOR_ITS_AUTHORS = /;? *please report this issue on .*$|\s*\(caused by .*$/is;

/** Returns the error of a run that failed. */
export function ytDlpFault({ code, killedBy, stderr }: Ended, { url, fault, limits }: Circumstances): AditError {
  const { hostname } = url;
  if (code === 127) return faultOf({ kind: 'missing', advice: HOW_TO_INSTALL }, hostname);
  if (code === WRONG_OPTION) return faultOf({ kind: 'too-old', version: null, advice: HOW }, hostname);
  const reason = reasonIn(stderr);
  if (killedBy === 'SIGXFSZ' || FILE_FULL.test(reason)) return tooLarge(limits.maxBytes);
  if (killedBy !== null) return new AditError('LIMIT_EXCEEDED', `yt-dlp was killed by ${killedBy}.`);
  if (code === FILTERED || LIVE.test(reason)) {
    const advice = 'live broadcasts of video platforms are not recorded; name the film once it is over';
    return new AditError('SOURCE_REFUSED', `The source of ${hostname} is refused: ${advice}.`);
  }
  if (DISK_FULL.test(reason)) return new AditError('UNAVAILABLE', 'Sources cannot be copied: the disk is full.');
  if (OUT_OF_MEMORY.test(reason)) return new AditError('LIMIT_EXCEEDED', 'yt-dlp ran out of its memory limit.');
  if (fault !== null && THROUGH_PROXY.test(reason)) return fault;
  const said = `yt-dlp cannot get the film of ${hostname}: ${reason}`;
  if (PASSING.test(reason)) return new AditError('SOURCE_UNAVAILABLE', said);
  return new AditError('SOURCE_REFUSED', said);
}

/** The last error in a run's output, in one line without control characters. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((each) => each.startsWith('ERROR:')) ?? lines.at(-1) ?? 'it gives no reason';
  const plain = line
    .replace(/^ERROR:\s*/, '')
    .replace(FOR_ITS_AUTHORS, '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  return `${plain.slice(0, 300).replace(/\.$/, '')}.`;
}
