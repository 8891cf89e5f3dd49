import { AditError } from '@adit/contracts';
import type { SegmentKey } from '../segments/media-playlist.js';

/** Attributes that a tag may have: more than any is known by. */
const MAX_ATTRIBUTES = 64;
const MAX_KEY_TAGS = 10_000;

export type Attributes = Record<string, string | undefined>;

export function malformed(reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The playlist cannot be read: ${reason}.`);
}

/** The attributes of a tag, up to the first that is malformed. */
export function attributesOf(line: string): Attributes {
  const attributes: Attributes = {};
  let count = 0;
  const list = line.slice(line.indexOf(':') + 1);
  // Each match begins where the last one ended, so that the time stays linear in the length of the line.
  const next = /\s*([A-Z0-9-]+)=(?:"([^"]*)"|([^,]*))\s*(?:,|$)/y;
  for (let found = next.exec(list); found !== null; found = next.exec(list)) {
    const [, name = '', quoted, bare = ''] = found;
    if (++count > MAX_ATTRIBUTES) throw malformed(`a tag has more than ${MAX_ATTRIBUTES} attributes`);
    attributes[name] ??= quoted ?? bare.trim();
    if (next.lastIndex >= list.length) break;
  }
  return attributes;
}

/** A number of at least 0 in decimal notation; null for anything else. */
export function decimal(value: string | undefined): number | null {
  return /^\d{1,15}(?:\.\d{0,20})?$/.test(value?.trim() ?? '') ? Number(value) : null;
}

export function integer(value: string | undefined): number | null {
  return /^\d{1,15}$/.test(value?.trim() ?? '') ? Number(value) : null;
}

/** `length[@offset]`. */
export function byteRangeOf(value: string): { length: number; offset: number | null } {
  const [, length, offset] = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(value.trim()) ?? [];
  if (length === undefined || Number(length) === 0) throw malformed('a byte range is not LENGTH@OFFSET');
  return { length: Number(length), offset: offset === undefined ? null : Number(offset) };
}

/**
 * The EXT-X-KEY tags in effect: one for each key format, until the next of the same format. Where several are, they are
 * ways to the same key.
 */
export class KeyTags {
  private readonly tags = new Map<string, { method: string; key: SegmentKey | null }>();
  private last: string | null = null;
  private count = 0;

  constructor(private readonly resolve: (address: string) => URL) {}

  read(line: string): void {
    if (line === this.last) return;
    this.last = line;
    if (++this.count > MAX_KEY_TAGS) throw malformed(`it has more than ${MAX_KEY_TAGS} keys`);
    const { METHOD: method = '', URI, IV, KEYFORMAT: format = 'identity' } = attributesOf(line);
    if (method === 'NONE') return this.tags.clear();
    if (this.tags.size > 16) throw malformed('it has more than 16 key formats');
    if (method !== 'AES-128' || format !== 'identity') {
      this.tags.set(format, { method, key: null });
      return;
    }
    if (URI === undefined) throw malformed('EXT-X-KEY has no URI');
    this.tags.set(format, { method, key: { url: this.resolve(URI), iv: IV === undefined ? null : ivOf(IV) } });
  }

  /** Throws SOURCE_REFUSED where media is encrypted in a way that cannot be read. */
  current(): SegmentKey | null {
    if (this.tags.size === 0) return null;
    const key = this.tags.get('identity')?.key;
    if (key) return key;
    const methods = [...this.tags.values()].map(({ method }) => method.slice(0, 40)).join(', ');
    throw new AditError(
      'SOURCE_REFUSED',
      `The stream is encrypted by ${methods} (DRM); only AES-128 with a plain key can be read.`,
    );
  }
}

function ivOf(value: string): Buffer {
  const digits = /^0x([0-9a-f]{1,32})$/i.exec(value)?.[1];
  if (digits === undefined) throw malformed('an IV is not a number of 128 bits');
  return Buffer.from(digits.padStart(32, '0'), 'hex');
}
