import { StringDecoder } from 'node:string_decoder';
import { AditError } from '@adit/contracts';

/** Longest line: one packet or frame described in a few numbers. */
const MAX_LINE_BYTES = 64 << 10;

/** Splits a program's output into lines as it arrives. Throws MEDIA_INVALID for a line above the limit. */
export class OutputLines {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  add(piece: Buffer): void {
    const lines = this.decoder.write(piece).split('\n');
    lines[0] = this.rest + lines[0];
    this.rest = lines.pop() ?? '';
    if (this.rest.length > MAX_LINE_BYTES) throw tooMuch();
    for (const line of lines) this.onLine(line);
  }

  /** Call after the last piece. */
  end(): void {
    if (this.rest !== '') this.onLine(this.rest);
  }
}

export function tooMuch(): AditError {
  return new AditError('MEDIA_INVALID', 'The metadata of the media exceeds the limit of this program.');
}
