import { Command, InvalidArgumentError } from 'commander';
import { EXIT_FAILED } from '../../output/exit-codes.js';

const MARKS = { good: '✓', warning: '!', bad: '✗' } as const;

export function streamCommand(): Command {
  return new Command('stream').description('Try live streams.').addCommand(testCommand());
}

function testCommand(): Command {
  return new Command('test')
    .description('Read a live stream for some seconds, and say what is there and what is wrong with it.')
    .argument(
      '<address>',
      'rtsp://, rtsps://, rtmp://, rtmps://, srt://, https://….m3u8, https://….mpd, any other http(s):// address of MPEG-TS, or onvif:// of a camera',
    )
    .option('--seconds <n>', 'how long to read it', seconds, 10)
    .option('--snapshot <file>', 'write its first picture there, as JPEG')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
It connects from this machine, whatever addresses the engine may reach, and says where the engine would refuse.

A camera that speaks ONVIF is asked for its streams, which are listed; the largest is read:
  onvif://USER:PASSWORD@HOST:PORT      port 80 unless named

Addresses of common cameras:
  Axis        rtsp://USER:PASSWORD@HOST/axis-media/media.amp
  Bosch       rtsp://USER:PASSWORD@HOST/rtsp_tunnel
  Dahua       rtsp://USER:PASSWORD@HOST/cam/realmonitor?channel=1&subtype=0
  Hikvision   rtsp://USER:PASSWORD@HOST/Streaming/Channels/101
  Reolink     rtsp://USER:PASSWORD@HOST/h264Preview_01_main
  Ubiquiti    rtsps://HOST:7441/STREAM

SRT, called or waited for (the passphrase has 10 to 79 characters; put the address in quotes):
  MediaMTX    srt://HOST:8890?streamid=read:PATH:USER:PASSWORD&passphrase=SECRET
  OBS         srt://:PORT?mode=listener&passphrase=SECRET

Exit code: 0 when the stream can be mined, ${EXIT_FAILED} otherwise.`,
    )
    .action(async (address: string, options: { seconds: number; snapshot?: string; json?: boolean }) => {
      const { testStream } = await import('./stream-test.js');
      const findings = [];
      for await (const finding of testStream(address, options)) {
        findings.push(finding);
        if (options.json) continue;
        const advice = finding.advice === undefined ? '' : `\n    ${finding.advice}`;
        process.stdout.write(`${MARKS[finding.state]} ${finding.what}${advice}\n`);
      }
      if (options.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
      if (findings.some(({ state }) => state === 'bad')) process.exitCode = EXIT_FAILED;
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 1 && value <= 3600)) throw new InvalidArgumentError('It is a number of seconds from 1 to 3600.');
  return value;
}
