import { execFileSync } from 'node:child_process';

/** `ADIT_FFMPEG`, else the one on the PATH. */
export function ffmpegProgram(): string {
  return process.env.ADIT_FFMPEG ?? 'ffmpeg';
}

let option: '-fps_mode' | '-vsync' | undefined;

/** How pictures are given out, in the words of this ffmpeg: `-vsync` goes with 8, `-fps_mode` came with 5.1. */
export function fpsMode(mode: 'passthrough' | 'vfr'): [option: string, mode: string] {
  option ??= execFileSync(ffmpegProgram(), ['-hide_banner', '-h', 'long'], {
    encoding: 'utf8',
    maxBuffer: 8 << 20,
  }).includes('-fps_mode')
    ? '-fps_mode'
    : '-vsync';
  return [option, mode];
}
