import { createHash, randomBytes } from 'node:crypto';
import type { Credentials } from '../../fetch/live-address.js';

type Parameters = Record<string, string>;

/** Algorithms of Digest by their names, the better ones first. */
const ALGORITHMS = [
  ['SHA-256', 'sha256'],
  ['MD5', 'md5'],
] as const;

/**
 * Proves who we are to a server: Digest (RFC 7616, RFC 2617) where the server offers it, else Basic (RFC 7617). It keeps
 * the challenge, so that later requests are authorized at once.
 */
export class Authorizer {
  private challenge: { scheme: 'basic' } | { scheme: 'digest'; parameters: Parameters } | null = null;
  private count = 0;

  constructor(private readonly credentials: Credentials) {}

  /**
   * Takes the challenges of a response with status 401. Returns whether another try makes sense: not when the answer to
   * the same kind of challenge was just refused. @param values of its WWW-Authenticate headers
   */
  take(values: readonly string[], isRetry: boolean): boolean {
    const challenges = values.flatMap(challengesOf);
    const digests = challenges.filter(({ scheme }) => scheme === 'digest').map(({ parameters }) => parameters);
    const best = ALGORITHMS.map(([name]) => digests.find((digest) => algorithmOf(digest) === name)).find(Boolean);
    if (best !== undefined) {
      if (isRetry && best['stale']?.toLowerCase() !== 'true') return false;
      this.challenge = { scheme: 'digest', parameters: best };
      this.count = 0;
      return true;
    }
    if (isRetry || !challenges.some(({ scheme }) => scheme === 'basic')) return false;
    this.challenge = { scheme: 'basic' };
    return true;
  }

  /** Value of the Authorization header; null until the server has asked. */
  header(method: string, uri: string): string | null {
    if (this.challenge === null) return null;
    if (this.challenge.scheme === 'digest') return this.digest(this.challenge.parameters, method, uri);
    const { username, password } = this.credentials;
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }

  private digest(parameters: Parameters, method: string, uri: string): string {
    const { realm = '', nonce = '', opaque, algorithm, qop } = parameters;
    const { username, password } = this.credentials;
    const cnonce = randomBytes(8).toString('hex');
    const nc = (++this.count).toString(16).padStart(8, '0');
    const hash = ALGORITHMS.find(([name]) => name === algorithmOf(parameters))?.[1] ?? 'md5';
    const h = (...texts: string[]): string => createHash(hash).update(texts.join(':')).digest('hex');
    const isSession = /-sess$/i.test(algorithm ?? '');
    const secret = isSession ? h(h(username, realm, password), nonce, cnonce) : h(username, realm, password);
    const withQop = qop?.split(/\s*,\s*/).includes('auth') === true;
    const request = h(method, uri);
    const response = withQop ? h(secret, nonce, nc, cnonce, 'auth', request) : h(secret, nonce, request);
    const fields = [`username=${quoted(username)}`, `realm=${quoted(realm)}`, `nonce=${quoted(nonce)}`];
    fields.push(`uri=${quoted(uri)}`, `response="${response}"`);
    if (algorithm !== undefined) fields.push(`algorithm=${algorithm}`);
    if (opaque !== undefined) fields.push(`opaque=${quoted(opaque)}`);
    if (withQop) fields.push('qop=auth', `nc=${nc}`);
    if (withQop || isSession) fields.push(`cnonce="${cnonce}"`);
    return `Digest ${fields.join(', ')}`;
  }
}

/** `SHA-256` or `MD5`, with or without sessions; null for others. */
function algorithmOf({ algorithm = 'MD5' }: Parameters): string | null {
  const name = algorithm.toUpperCase().replace(/-SESS$/, '');
  return ALGORITHMS.some(([each]) => each === name) ? name : null;
}

/** Splits a WWW-Authenticate header, which may hold several challenges. */
function challengesOf(value: string): { scheme: string; parameters: Parameters }[] {
  const challenges: { scheme: string; parameters: Parameters }[] = [];
  const tokens =
    /\s*(?:(?<name>[\w-]+)\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^\s,"]*))|(?<scheme>[\w-]+))\s*,?/gy;
  for (const { groups = {} } of value.matchAll(tokens)) {
    const { name, quoted: text, plain, scheme } = groups;
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: {} });
    else if (name !== undefined) {
      const last = challenges.at(-1);
      if (last !== undefined) last.parameters[name.toLowerCase()] = text?.replace(/\\(.)/g, '$1') ?? plain ?? '';
    }
  }
  return challenges;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
