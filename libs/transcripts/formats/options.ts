export interface FormatOptions {
  /** srt and vtt: the word that is being said is underlined. Each word is a cue of its own then. */
  underlineWords: boolean;
}
