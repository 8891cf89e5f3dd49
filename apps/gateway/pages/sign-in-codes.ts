import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

const CODE_BYTES = 24;
const LIFETIME_MS = 10 * 60_000;
/**
 * Wrong codes after which the right one is no longer good. No number of guesses finds one of 192 bits; so many that no program
 * takes the code away by a few.
 */
const MAX_WRONG = 1_000;

/** Headers by which proxies say that they pass on a request of somebody else. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

interface Offer {
  key: string;
  digest: Buffer;
  until: number;
  wrong: number;
}

/**
 * The first key, for the browser of whoever starts Adit on their own machine. It is exchanged for a code that only their terminal
 * shows: once, within ten minutes, and by a request of this machine alone. The offer is in the memory of this process.
 */
@Injectable()
export class SignInCodes {
  private offered: Offer | null = null;

  /** Offers a key, in place of any before; answers the code. */
  offer(key: string, now = Date.now()): string {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    this.offered = { key, digest: digestOf(code), until: now + LIFETIME_MS, wrong: 0 };
    return code;
  }

  /** The key that a code stands for, this once; null for any other code, and for one that is too late. */
  take(code: string, now = Date.now()): string | null {
    const { offered } = this;
    if (offered === null || now >= offered.until) {
      this.offered = null;
      return null;
    }
    if (timingSafeEqual(offered.digest, digestOf(code))) {
      this.offered = null;
      return offered.key;
    }
    offered.wrong += 1;
    if (offered.wrong >= MAX_WRONG) this.offered = null;
    return null;
  }
}

/**
 * Whether a request comes from a browser on this machine that shows a page of this service: over loopback, passed on by no proxy,
 * under a name of loopback (another name may have been made to lead here), and from no other site.
 */
export function isFromThisMachine({
  socket,
  headers,
}: Pick<FastifyRequest, 'headers'> & {
  socket: { remoteAddress?: string | undefined };
}): boolean {
  if (!isLoopback(socket.remoteAddress ?? '') || FORWARDED.some((name) => headers[name] !== undefined)) return false;
  const { host, origin } = headers;
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (!isLoopback(hostname.replace(/^\[|\]$/g, ''))) return false;
  const site = headers['sec-fetch-site'];
  return (
    (origin === `http://${host}` || origin === `https://${host}`) && (site === undefined || site === 'same-origin')
  );
}

/** Whether a name or an address is of this machine alone. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name === '::1') return true;
  const address = name.replace(/^::ffff:/i, '');
  return isIP(address) === 4 && address.startsWith('127.');
}

function digestOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
