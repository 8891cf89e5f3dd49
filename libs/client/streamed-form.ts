import { randomId } from './random-id.js';

/** Large enough to keep a connection busy, small enough for a bar that moves. */
const PIECE = 256 * 1024;

/**
 * A multipart/form-data body with one file in the field `file`, made as it is read: fetch tells nothing of how far an upload
 * is, so the bytes are counted where they are taken. `body` begins anew at each call.
 */
export function streamedForm(
  file: Blob,
  filename: string,
  onProgress: (sent: number, total: number) => void = () => undefined,
): { contentType: string; body: () => ReadableStream<Uint8Array> } {
  const boundary = `adit-${randomId()}`;
  const text = new TextEncoder();
  // Escaping as in browsers (WHATWG): quotes and line breaks are escaped, all else is UTF-8.
  const name = filename.replace(/["\r\n]/g, (char) => encodeURIComponent(char));
  const type = file.type === '' ? 'application/octet-stream' : file.type;
  const head = text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
  );
  const tail = text.encode(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: () => {
      const bytes = fileBytes(file, 0, onProgress).getReader();
      let begun = false;
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (!begun) {
            begun = true;
            return controller.enqueue(head);
          }
          const { value: piece } = await bytes.read();
          if (piece !== undefined) return controller.enqueue(piece);
          controller.enqueue(tail);
          controller.close();
        },
      });
    },
  };
}

/** The bytes of a file from `from` on, read as they are taken; each piece is told as it is handed on. `over` ends it. */
export function fileBytes(
  file: Blob,
  from: number,
  onProgress: (sent: number, total: number) => void = () => undefined,
  over?: AbortSignal,
): ReadableStream<Uint8Array> {
  let at = from;
  const isOver = (): boolean => over?.aborted === true;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at >= file.size || isOver()) return controller.close();
      const piece = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
      if (isOver()) return controller.close();
      at += piece.length;
      controller.enqueue(piece);
      onProgress(at, file.size);
    },
  });
}
