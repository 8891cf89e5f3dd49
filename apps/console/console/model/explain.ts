export type Advice =
  | 'adviceMissing'
  | 'adviceRefused'
  | 'adviceMedia'
  | 'adviceNetwork'
  | 'adviceModel'
  | 'advicePart'
  | 'adviceOther';

/** An error of a job, taken apart for people. */
export interface Explanation {
  what: 'source' | 'module' | 'part' | 'job';
  /** The source or the module that it is about; empty of the job itself. */
  about: string;
  /** Why, in the service's words. */
  reason: string;
  advice: Advice;
}

/** What to do, by what the service says of a source. */
const ADVICE: [RegExp, Advice][] = [
  [/\(E(NOENT|ACCES|PERM|IO)\)|no such (file|key)|does not exist|is not there|was deleted/i, 'adviceMissing'],
  [/outside the folders|is refused|not a regular file/i, 'adviceRefused'],
  [/did not answer|timed? ?out|ECONN|ENOTFOUND|EAI_AGAIN|answered \d{3}|certificate/i, 'adviceNetwork'],
  [/decode|damaged|not media|holds neither|cannot be opened|is empty|has no sound|invalid data/i, 'adviceMedia'],
];

/**
 * Takes an error apart: `<source>: <reason>` and `<module>: <reason>` are the service's forms, any other text is of the job.
 *
 * @param sources addresses of the job's sources
 * @param modules ids of its modules
 */
export function explain(error: string, sources: readonly string[], modules: readonly string[]): Explanation {
  const starts = (name: string): boolean => error.startsWith(`${name}: `);
  const module = modules.find(starts);
  if (module !== undefined) {
    return { what: 'module', about: module, reason: error.slice(module.length + 2), advice: 'adviceModel' };
  }
  const source = sources.find(starts) ?? /^(?:[a-z0-9]+:\/\/|\/)\S*?(?=: )/i.exec(error)?.[0];
  if (source === undefined) return { what: 'job', about: '', reason: error, advice: adviceOf(error) };
  const reason = error.slice(source.length + 2);
  const isPart = /could not be (decoded|analysed)/.test(reason);
  return { what: isPart ? 'part' : 'source', about: source, reason, advice: isPart ? 'advicePart' : adviceOf(reason) };
}

function adviceOf(reason: string): Advice {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? 'adviceOther';
}

/** The last part of a path or address. */
export function shortName(source: string): string {
  return (
    source
      .split(/[/?#]/)
      .filter((part) => part !== '')
      .at(-1) ?? source
  );
}
