import { execFileSync } from 'node:child_process';

/** `ADIT_FFMPEG`, else the one on the PATH. */
export function ffmpegProgram(): string {
  return process.env.ADIT_FFMPEG ?? 'ffmpeg';
}

let help: string | undefined;

function knows(option: string): boolean {
  help ??= execFileSync(ffmpegProgram(), ['-hide_banner', '-h', 'long'], { encoding: 'utf8', maxBuffer: 8 << 20 });
  return help.includes(option);
}

/** The option of this ffmpeg for its frame rate mode: `-fps_mode` came with 5.1, `-vsync` goes with 8. */
export function fpsMode(mode: 'passthrough' | 'vfr'): [option: string, mode: string] {
  return [knows('-fps_mode') ? '-fps_mode' : '-vsync', mode];
}

/** The arguments that copy a film and have it shown a quarter turned, counter-clockwise: in a tag until 7, by an option from 6 on. */
export function quarterTurned(path: string): string[] {
  const copied = ['-i', path, '-c', 'copy'];
  return knows('-display_rotation')
    ? ['-display_rotation', '90', ...copied]
    : [...copied, '-metadata:s:v:0', 'rotate=90'];
}
