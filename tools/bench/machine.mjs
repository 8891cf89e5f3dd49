// The machine that the numbers were measured on.
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { ffmpegInfo } from '@adit/media';

export async function machineFacts() {
  const inference = createRequire(createRequire(import.meta.url).resolve('@adit/inference'));
  return {
    cpu: `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}`,
    memory: `${Math.round(totalmem() / 1024 ** 3)} GiB`,
    node: process.version,
    onnxruntime: inference('onnxruntime-node/package.json').version,
    ffmpeg: (await ffmpegInfo()).version,
    date: new Date().toISOString().slice(0, 10),
    command: 'npm run bench -- --write',
  };
}
