/** An audio format that is mined. `formats.ts` lists them, and every lookup goes through that list. */
export interface SoundFormat {
  name: string;
  title: string;
  /** Names in file-type. */
  sniffedAs: string[];
  contentType: string;
  /** File name extensions: lower case, with the dot. */
  extensions: string[];
  /** The only ffmpeg demuxers that may read such a file. */
  demuxers: string[];
  /** Recognises the format by a file's first bytes, where file-type is not specific enough. */
  begins?(head: Buffer): boolean;
}
