import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { ffmpegPath } from '../../../ffmpeg/ffmpeg-binary.js';

/** `describe` for what needs an ffmpeg with libsrt, the protocol's first implementation. */
export async function describeLibsrt(title: string, body: () => void): Promise<void> {
  const { describe, it } = await import('@jest/globals');
  const protocols = execFileSync(await ffmpegPath(), ['-hide_banner', '-protocols'], { encoding: 'utf8' });
  if (/^\s*srt$/m.test(protocols)) return void describe(title, body);
  describe(`${title} (skipped: this ffmpeg has no libsrt)`, () => {
    it.skip('everything in it', () => undefined);
  });
}

/** Sends a film over SRT in real time, and writes the same bytes to a file. */
export class SrtSender {
  readonly ended: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit');
  }

  /** @param url of SRT, with the parameters of libsrt */
  static async start(film: string, copy: string, url: string, options: readonly string[] = []): Promise<SrtSender> {
    const output = ['-map', '0', '-c', 'copy', '-f', 'mpegts'];
    const args = ['-nostdin', '-v', 'error', '-y', '-re', ...options, '-i', film, ...output, copy, ...output, url];
    return new SrtSender(spawn(await ffmpegPath(), args, { stdio: 'ignore' }));
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

/** A port of UDP that is free now. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}
