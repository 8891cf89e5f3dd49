/** Language codes of EBU Tech 3264 by ISO 639-1, those from 01 on in order. */
const EUROPEAN =
  'sq br ca hr cy cs da de en es eo et eu fo fr fy ga gd gl is it se la lv lb lt hu mt nl no oc pl pt ro rm sr sk sl fi sv tr'.split(
    ' ',
  );

/** Two hexadecimal digits; 00 where the language is not known, or has no code. */
export function languageCode(language: string | null): string {
  return (EUROPEAN.indexOf(language ?? '') + 1).toString(16).toUpperCase().padStart(2, '0');
}
