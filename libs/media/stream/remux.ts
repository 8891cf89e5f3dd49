import { once } from 'node:events';
import { ffmpegPath } from '../ffmpeg/ffmpeg-binary.js';
import { openChild, type OpenedChild } from '../sandbox/open-child.js';

/** Private memory of a reader that only copies packets. */
const MEMORY_BYTES = 512 * 2 ** 20;
/** Bytes and seconds until its streams have to be known; pictures of 4K at the start of a stream take megabytes. */
const PROBE = { bytes: 20_000_000, seconds: 5 };

export interface Remux {
  /** Address of a relay on loopback. */
  url: string;
  protocols: readonly string[];
  demuxers: readonly string[];
  inputOptions?: readonly string[];
}

/**
 * Starts an ffmpeg that reads a relay and writes packets of pictures and sound as they are, in NUT: it takes any codec,
 * keeps time stamps, and can be read from a pipe.
 */
export async function startRemux({ url, protocols, demuxers, inputOptions = [] }: Remux): Promise<OpenedChild> {
  return await openChild({
    program: await ffmpegPath(),
    args: [
      ...['-nostdin', '-loglevel', 'error'],
      ...['-protocol_whitelist', protocols.join(','), '-format_whitelist', demuxers.join(',')],
      // The rate of pictures is not asked for: finding it out would take seconds.
      ...[
        '-probesize',
        String(PROBE.bytes),
        '-analyzeduration',
        String(PROBE.seconds * 1_000_000),
        '-fpsprobesize',
        '0',
      ],
      ...[...inputOptions, '-i', url],
      ...['-map', '0:v?', '-map', '0:a?', '-c', 'copy'],
      // Without an index: it would grow as long as the stream lasts.
      ...['-f', 'nut', '-write_index', '0', '-flush_packets', '1', 'pipe:1'],
    ],
    limits: { dataBytes: MEMORY_BYTES, fileBytes: 0 },
    network: { port: Number(new URL(url).port) },
  });
}

/** Waits until the child writes. Returns false when it ends without having written. */
export async function hasBegun({ stdout }: OpenedChild): Promise<boolean> {
  if (stdout.readableLength === 0 && !stdout.readableEnded) await once(stdout, 'readable');
  return stdout.readableLength > 0;
}
