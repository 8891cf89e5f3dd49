import { createHash, createHmac } from 'node:crypto';
import type { TestServers } from './servers.js';

const REGION = 'us-east-1';

/** A bucket as other programs write to it: any name, any bytes. Requests are signed as AWS describes (Signature Version 4). */
export class RawBucket {
  private constructor(
    private readonly server: TestServers['minio'],
    readonly name: string,
  ) {}

  static async make(server: TestServers['minio'], name: string): Promise<RawBucket> {
    const bucket = new RawBucket(server, name);
    await bucket.send('PUT', '');
    return bucket;
  }

  async put(name: string, content: Uint8Array | string): Promise<void> {
    await this.send('PUT', name, Buffer.from(content));
  }

  async delete(name: string): Promise<void> {
    await this.send('DELETE', name);
  }

  private async send(method: string, name: string, body: Buffer = Buffer.alloc(0)): Promise<void> {
    const { endpoint, accessKey, secretKey } = this.server;
    const { host } = new URL(endpoint);
    const path = `/${this.name}${name === '' ? '' : `/${name.split('/').map(escaped).join('/')}`}`;
    const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
    const scope = `${time.slice(0, 8)}/${REGION}/s3/aws4_request`;
    const content = createHash('sha256').update(body).digest('hex');
    const headers = { host, 'x-amz-content-sha256': content, 'x-amz-date': time };
    const names = Object.keys(headers).join(';');
    const lines = Object.entries(headers).map(([key, value]) => `${key}:${value}\n`);
    const request = [method, path, '', lines.join(''), names, content].join('\n');
    const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(request).digest('hex')].join('\n');
    const key = scope.split('/').reduce<Buffer>((last, part) => hmac(last, part), Buffer.from(`AWS4${secretKey}`));
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`;
    const sent = method === 'PUT' ? { body: new Uint8Array(body) } : {};
    const answer = await fetch(`${endpoint}${path}`, { method, headers: { ...headers, authorization }, ...sent });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
