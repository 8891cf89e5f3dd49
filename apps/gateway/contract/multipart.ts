/** A part of a form: text, or a file. */
export type Part = string | { filename: string; contentType: string; bytes: Buffer };

const BOUNDARY = 'a-boundary-of-the-specs';

/** A multipart/form-data body (RFC 7578) with the header that goes with it. */
export function multipart(parts: Record<string, Part>): { payload: Buffer; headers: Record<string, string> } {
  const chunks = Object.entries(parts).flatMap(([name, part]) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${quoted(name)}"${described(part)}\r\n\r\n`),
    typeof part === 'string' ? Buffer.from(part) : part.bytes,
    Buffer.from('\r\n'),
  ]);
  return {
    payload: Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}

function described(part: Part): string {
  if (typeof part === 'string') return '';
  return `; filename="${quoted(part.filename)}"\r\nContent-Type: ${part.contentType}`;
}

function quoted(text: string): string {
  return text.replace(/["\r\n]/g, (char) => encodeURIComponent(char));
}
