import { createDecipheriv } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { brief } from '../../fetch/source-uri.js';
import { discard } from '../../fetch/web-client.js';
import type { MediaPlaylist, Resource, SegmentKey } from '../segments/media-playlist.js';
import { chooseSound } from '../segments/choose-sound.js';
import { conditionOf, SegmentClient } from '../segments/segment-client.js';
import { chooseVariant } from './choose-variant.js';
import { MAX_PLAYLIST_BYTES, parsePlaylist, type MasterPlaylist, type Rendition, type Variant } from './playlist.js';
import { malformed } from './playlist-tags.js';

const KEY_BYTES = 16;
const MAX_KEYS = 8;

interface FetchedPlaylist {
  playlist: MasterPlaylist | MediaPlaylist;
  /** Where it came from; it is fetched again from there. */
  url: URL;
  /** Headers that ask for it only if it has changed. */
  condition: Record<string, string>;
}

/** Fetches playlists of HLS, their segments, and the keys of these. */
export class HlsClient extends SegmentClient {
  private readonly keys = new Map<string, Buffer>();
  private last: Pick<FetchedPlaylist, 'url' | 'condition'> | null = null;
  private variant: Variant | null = null;

  /** Fetches a media playlist, by way of a master playlist where the address is that of one. */
  override async open(): Promise<MediaPlaylist> {
    let fetched = await this.fetchPlaylist(this.start, {});
    if (fetched?.playlist.kind === 'master') {
      this.variant = chooseVariant(fetched.playlist);
      fetched = await this.fetchPlaylist(this.variant.url, {});
    }
    const opened = this.media(fetched);
    if (opened === null) throw malformed('the server says that it has not changed before it was ever sent');
    this.hasOpened = true;
    return opened;
  }

  override async reload(): Promise<MediaPlaylist | null> {
    if (this.last === null) throw new AditError('INTERNAL', 'A stream was followed before it was opened.');
    return this.media(await this.fetchPlaylist(this.last.url, this.last.condition));
  }

  override sounds(): readonly Rendition[] {
    const { sounds = [], isSoundOnly = false } = this.variant ?? {};
    return isSoundOnly ? [] : sounds;
  }

  override separateSound(track: string | undefined, signal = this.options.signal): SegmentClient | null {
    const url = chooseSound(this.sounds(), track)?.url ?? null;
    return url === null ? null : new HlsClient(url, { ...this.options, signal }, this.web);
  }

  /** Decrypted, where it is encrypted. */
  override async *segment(resource: Resource, number: number): AsyncGenerator<Buffer, void, undefined> {
    const key = resource.key === null ? null : await this.key(resource.key);
    const bytes = this.bytes(resource);
    if (resource.key === null || key === null) yield* bytes;
    else yield* decrypted(bytes, key, resource.key.iv ?? numberedIv(number), resource.url);
  }

  private async fetchPlaylist(start: URL, condition: Record<string, string>): Promise<FetchedPlaylist | null> {
    const answer = await this.get(start, condition);
    if (answer.status === 304) {
      discard(answer.body);
      return null;
    }
    this.checkStatus(answer, [200]);
    const text = await this.whole(answer, MAX_PLAYLIST_BYTES);
    return {
      playlist: await this.whenRead(() => parsePlaylist(text.toString('utf8'), answer.url)),
      url: answer.url,
      condition: conditionOf(answer),
    };
  }

  private async key({ url }: SegmentKey): Promise<Buffer> {
    const known = this.keys.get(url.href);
    if (known !== undefined) return known;
    const answer = await this.get(url);
    this.checkStatus(answer, [200]);
    const key = await this.whole(answer, KEY_BYTES);
    if (key.length !== KEY_BYTES) throw malformed(`a key has ${key.length} bytes, not ${KEY_BYTES}`);
    const [oldest] = this.keys.keys();
    if (this.keys.size >= MAX_KEYS && oldest !== undefined) this.keys.delete(oldest);
    this.keys.set(url.href, key);
    return key;
  }

  private media(fetched: FetchedPlaylist | null): MediaPlaylist | null {
    if (fetched === null) return null;
    const { playlist, url, condition } = fetched;
    if (playlist.kind === 'master') throw malformed('it is a list of streams where one of segments belongs');
    this.last = { url, condition };
    return playlist;
  }
}

async function* decrypted(
  bytes: AsyncIterable<Buffer>,
  key: Buffer,
  iv: Buffer,
  url: URL,
): AsyncGenerator<Buffer, void, undefined> {
  const decipher = createDecipheriv('aes-128-cbc', key, iv);
  for await (const chunk of bytes) {
    const plain = decipher.update(chunk);
    if (plain.length > 0) yield plain;
  }
  let rest: Buffer;
  try {
    rest = decipher.final();
  } catch (error) {
    throw new AditError('SOURCE_UNAVAILABLE', `${brief(url.href)} cannot be decrypted.`, { cause: error });
  }
  if (rest.length > 0) yield rest;
}

/** RFC 8216, 5.2: the number of the segment in 128 bits. */
function numberedIv(number: number): Buffer {
  const iv = Buffer.alloc(16);
  iv.writeBigUInt64BE(BigInt(number), 8);
  return iv;
}
