/** Uploads as clients send them, well-behaved and not, for the specs. */
import { readdir, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import type { TestGateway } from './gateway.js';

interface Uploaded {
  status: number;
  body: Record<string, unknown>;
}

export class Uploader {
  private constructor(
    private readonly gateway: TestGateway,
    /** Address of the gateway's API, without a slash at the end. */
    readonly base: string,
  ) {}

  /** Makes the gateway listen. */
  static async of(gateway: TestGateway): Promise<Uploader> {
    await gateway.app.listen(0, '127.0.0.1');
    return new Uploader(gateway, `${await gateway.app.getUrl()}/api`);
  }

  get headers(): { authorization: string } {
    return { authorization: `Key ${this.gateway.key}` };
  }

  /** Sends one file; the fields stand behind it on purpose: they are honoured wherever they stand. */
  async send(
    bytes: Uint8Array,
    filename: string,
    { fields = {}, query = '', version = 1, type = '' }: SendOptions = {},
  ): Promise<Uploaded> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type }), filename);
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const url = `${this.base}/v${version}/storage/${query}`;
    const reply = await fetch(url, { method: 'POST', body: form, headers: this.headers });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  }

  /** Sends `sent` bytes of a multipart request that promises `size`, and breaks off when that is less. */
  raw(folder: string, size: number, sent: number, halfWay?: () => Promise<void>): Promise<number> {
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="f.bin"\r\n\r\n';
    const tail = '\r\n--b--\r\n';
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${this.base}/v1/storage/?folder=${folder}`, {
        method: 'POST',
        headers: {
          ...this.headers,
          'content-type': 'multipart/form-data; boundary=b',
          'content-length': head.length + size + tail.length,
        },
      });
      request.on('response', (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 0);
      });
      request.on('error', reject);
      const chunk = Buffer.alloc(256 << 10, 7);
      const send = async (): Promise<void> => {
        request.write(head);
        for (let at = 0; at < sent; at += chunk.length) {
          if (at === size / 2) await halfWay?.();
          if (!request.write(chunk)) await new Promise((drained) => request.once('drain', drained));
        }
        if (sent === size) request.end(tail);
        else setTimeout(() => request.destroy(new Error('the cable was pulled')), 100);
      };
      void send().catch(reject);
    });
  }
}

interface SendOptions {
  fields?: Record<string, string>;
  query?: string;
  version?: 1 | 2;
  /** Content type that the file is sent with. */
  type?: string;
}

/** Sizes in bytes of all that the gateway's object store holds of uploads, whole or not. */
export async function storedSizes({ dataDir }: TestGateway): Promise<number[]> {
  const root = join(dataDir, 'objects');
  const folders = [join(root, 'objects', 'storage+'), join(root, 'incoming')];
  return (await Promise.all(folders.map(sizesBelow))).flat();
}

async function sizesBelow(folder: string): Promise<number[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return Promise.all(sizes);
}
