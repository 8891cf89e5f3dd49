/** A kind of sound that is mined. `formats.ts` lists them; everything that has to know them asks there. */
export interface SoundFormat {
  name: string;
  title: string;
  /** What file-type calls it. */
  sniffedAs: string[];
  contentType: string;
  /** Of file names: lower case, with the dot. */
  extensions: string[];
  /** What ffmpeg calls those that read it; none that another kind of media names already. */
  demuxers: string[];
  /** Whether a file that begins so is one, where file-type tells too little. */
  begins?(head: Buffer): boolean;
}
