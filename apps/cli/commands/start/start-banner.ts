export interface StartFacts {
  /** Base address of the API. */
  url: string;
  /** Absolute. */
  dataDir: string;
  /** The origin of the key that authorizes requests. */
  key: { from: 'environment' } | { from: 'file'; path: string; made: string | null };
  /** A film that comes along and that jobs may read; null where there is none. */
  film: string | null;
  /** The console, with the address that signs in once where there is one; null where it is not served. */
  open: { link: string | null } | null;
}

/**
 * Text of `adit start` in a terminal, in nine lines at the most: address, console, key, data folder, a request that works as
 * pasted, and how to stop. A new key is shown; of an older one only its file is named.
 */
export function startBanner({ url, dataDir, key, film, open }: StartFacts): string {
  const header = key.from === 'environment' ? '$ADIT_API_KEY' : `$(cat ${quoted(key.path)})`;
  const job = { sources: [film ?? 'https://example.org/film.mp4'], modules: { face_recognition: {} } };
  const lines = [
    ['Adit', `${url}  (its API is described at ${url}/api/docs)`],
    ...(open === null ? [] : [['Open', openLine(url, open.link)]]),
    ['Key', keyLine(key)],
    ['Data', dataDir],
    ['Try', `curl -sH "Authorization: Key ${header}" -H 'Content-Type: application/json' \\`],
    ['', `  -d ${quoted(JSON.stringify(job))} ${url}/api/v1/jobs/`],
    ['Stop', 'Ctrl-C; jobs that run go on at the next start'],
  ];
  return `\n${lines.map(([name = '', text = '']) => `  ${name.padEnd(5)} ${text}\n`).join('')}\n`;
}

function openLine(url: string, link: string | null): string {
  if (link === null) return `${url}/console/  (sign in with the key)`;
  return `${link}  (signs in here once, for 10 minutes; later at ${url}/console/ with the key)`;
}

function keyLine(key: StartFacts['key']): string {
  if (key.from === 'environment') return 'the one in ADIT_API_KEY';
  return key.made === null ? `kept in ${key.path}` : `${key.made}  (kept in ${key.path})`;
}

/** Quotes a text as one word of a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
