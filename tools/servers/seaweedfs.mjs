// SeaweedFS, all of it in one process, built by Go from its published module.
import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './ports.mjs';
import { publishedStore, ROOT } from './published-store.mjs';

const REGION = 'us-east-1';
const PROGRAM = {
  name: 'weed',
  title: 'SeaweedFS',
  // Release 4.53, whose tag is none that Go takes.
  module: 'github.com/seaweedfs/seaweedfs@v0.0.0-20261109003541-7506e5f91cd6',
  sum: 'h1:LOYZFToHq9F7pSR6lkPGfkM8RmHlVFrzndKdhmNZjrU=',
  main: './weed',
};
const ACTIONS = ['Admin', 'Read', 'Write', 'List', 'Tagging'];

export const seaweedfs = {
  ...publishedStore(PROGRAM),

  async plan({ program }, { folder, host = '127.0.0.1' }) {
    const data = join(folder, 'data');
    mkdirSync(data);
    const users = join(folder, 's3.json');
    const credentials = [ROOT];
    writeFileSync(users, JSON.stringify({ identities: [{ name: 'adit', credentials, actions: ACTIONS }] }));
    const [s3, ...others] = await freePorts(8);
    const parts = ['master', 'master.grpc', 'volume', 'volume.grpc', 'filer', 'filer.grpc', 's3.grpc'];
    const ports = parts.map((part, index) => `-${part.replace(/(\.grpc)?$/, '.port$1')}=${others[index]}`);
    const endpoint = `http://${host}:${s3}`;
    return {
      facts: { endpoint, ...ROOT },
      process: {
        command: program,
        args: [
          ...['server', `-dir=${data}`, `-ip=${host}`, `-ip.bind=${host}`, '-filer', '-s3'],
          ...[`-s3.port=${s3}`, `-s3.config=${users}`, '-s3.port.iceberg=0', '-s3.port.lance=0', ...ports],
          // It would tell its makers how it is used.
          ...['-master.telemetry=false', '-volume.max=0', '-master.volumeSizeLimitMB=64', '-volume.preStopSeconds=0'],
        ],
        env: { PATH: process.env.PATH, HOME: folder },
        // The port answers seconds before the first object can be put.
        ready: async () => (await isTaken(endpoint, '/adit-ready')) && (await isTaken(endpoint, '/adit-ready/probe')),
      },
    };
  },
};

/** True when the server accepts an empty object, signed as version 4 of S3 asks. */
async function isTaken(endpoint, path) {
  const { host } = new URL(endpoint);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const nothing = createHash('sha256').update('').digest('hex');
  const signed = 'host;x-amz-content-sha256;x-amz-date';
  const request = `PUT\n${path}\n\nhost:${host}\nx-amz-content-sha256:${nothing}\nx-amz-date:${time}\n\n${signed}\n${nothing}`;
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const words = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${createHash('sha256').update(request).digest('hex')}`;
  const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
  const key = [day, REGION, 's3', 'aws4_request'].reduce(hmac, `AWS4${ROOT.secretKey}`);
  const headers = {
    'x-amz-content-sha256': nothing,
    'x-amz-date': time,
    authorization: `AWS4-HMAC-SHA256 Credential=${ROOT.accessKey}/${scope}, SignedHeaders=${signed}, Signature=${hmac(key, words).toString('hex')}`,
  };
  try {
    const answer = await fetch(endpoint + path, { method: 'PUT', headers, signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.ok || answer.status === 409;
  } catch {
    return false;
  }
}
