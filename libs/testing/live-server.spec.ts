/** @needs servers */
import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeLive, liveServer } from './live-server.js';
import { ffmpegProgram } from './media/ffmpeg-program.js';
import { transcode } from './media/made-media.js';
import { numberedFilm } from './media/numbered-film.js';

const run = promisify(execFile);

await describeLive('a server of live streams', (program) => {
  it('gives what is published to it, over several protocols', async () => {
    const film = await transcode('live.mp4', ['-f', 'lavfi', '-i', numberedFilm({ seconds: 4 }), '-g', '25']);
    const server = await liveServer(program);
    try {
      const { rtsp, rtmp, srt } = server.ports;
      await server.publish('open/film', film);
      const addresses = [`rtsp://127.0.0.1:${rtsp}/open/film`, `rtmp://127.0.0.1:${rtmp}/open/film`];
      for (const address of [...addresses, `srt://127.0.0.1:${srt}?streamid=read:open/film`]) {
        const args = [
          '-nostdin',
          '-v',
          'error',
          '-analyzeduration',
          '500000',
          '-i',
          address,
          '-frames:v',
          '5',
          '-f',
          'framemd5',
          '-',
        ];
        const { stdout } = await run(ffmpegProgram(), args, { timeout: 20_000 });
        expect(
          stdout
            .trim()
            .split('\n')
            .filter((line) => !line.startsWith('#')),
        ).toHaveLength(5);
      }
    } finally {
      await server.remove();
    }
  });
});
