/**
 * Reads XML answers of servers as text. The client's parser turns whatever looks like a number into one: it changes a
 * name 007, an upload's id 1e5 or a rule's prefix 0123.
 */
import { createHash } from 'node:crypto';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Replaces XML entities by their characters. */
export function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name = '') => {
      const code = hex === undefined ? Number(decimal ?? NaN) : Number.parseInt(hex, 16);
      return Number.isNaN(code) ? (ENTITIES[String(name)] ?? whole) : String.fromCodePoint(code);
    },
  );
}

/** Returns the content of the first element of that name; empty if there is none. */
export function valueOf(entry: string, tag: string): string {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(entry)?.[1] ?? '';
}

/** Text as XML has it. */
export function withEntities(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** The header without which S3 takes no XML. */
export function md5Header(body: string): Record<string, string> {
  return { 'Content-MD5': createHash('md5').update(body).digest('base64') };
}
