#!/bin/sh
# minio-js: its IamAwsProvider cannot read the answers that AWS documents.
#
# Version: minio 8.0.7.
#
# The metadata service of EC2 answers credentials as {"Code": "Success", "AccessKeyId": …}, the agent of ECS and of EKS Pod Identity the
# same without "Code". The provider wants a "Code" of both and reads "AccessKeyID", with a capital D. So behind the agent each call
# fails with "code undefined", and behind the metadata service with an error that speaks of a wrong type, as if the caller had given a
# wrong argument. Only a service that writes "AccessKeyID" is understood. Keys of a role that work with every other S3 client do not
# with this one.
#
# Output seen:
#   agent of containers, as ECS documents it: Unable to get credentials: Error: http://127.0.0.1/agent failed with code undefined and message undefined
#   metadata service, as EC2 documents it: accessKey should be of type "string"
#   metadata service, with AccessKeyID: the store was asked with a signature
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund minio@8.0.7 >&2

cat > provider.mjs <<'PROGRAM'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Client, IamAwsProvider } from 'minio';

const keys = (name) => ({
  [name]: 'ASIAEXAMPLE',
  SecretAccessKey: 'an-example-of-a-secret',
  Token: 'an-example-of-a-token',
  Expiration: '2099-01-01T00:00:00Z',
});
let keyName = 'AccessKeyId';
let signature;

const server = createServer((request, reply) => {
  const { pathname } = new URL(request.url, 'http://any');
  if (pathname === '/agent') return reply.end(JSON.stringify({ RoleArn: 'arn:aws:iam::123456789012:role/example', ...keys(keyName) }));
  if (pathname === '/latest/api/token') return reply.end('a-token-of-the-service');
  if (/\/security-credentials\/$/.test(pathname)) return reply.end('example');
  if (/security-credentials\/\/?example$/.test(pathname))
    return reply.end(JSON.stringify({ Code: 'Success', Type: 'AWS-HMAC', LastUpdated: '2026-01-01T00:00:00Z', ...keys(keyName) }));
  signature = request.headers.authorization;
  reply.statusCode = 200;
  reply.end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();

async function ask(label, provider) {
  signature = undefined;
  const client = new Client({ endPoint: '127.0.0.1', port, useSSL: false, region: 'us-east-1', credentialsProvider: provider });
  const outcome = await client.bucketExists('films').then(
    () => `the store was asked ${signature === undefined ? 'without' : 'with'} a signature`,
    (error) => error.message.replace(`:${port}`, ''),
  );
  console.log(`${label}: ${outcome}`);
  return outcome;
}

process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `http://127.0.0.1:${port}/agent`;
const agent = await ask('agent of containers, as ECS documents it', new IamAwsProvider({}));
delete process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
const customEndpoint = `http://127.0.0.1:${port}`;
const documented = await ask('metadata service, as EC2 documents it', new IamAwsProvider({ customEndpoint }));
keyName = 'AccessKeyID';
const capital = await ask('metadata service, with AccessKeyID', new IamAwsProvider({ customEndpoint }));
server.close();
const asSeen =
  /failed with code undefined/.test(agent) && documented === 'accessKey should be of type "string"' && capital.endsWith('with a signature');
process.exit(asSeen ? 0 : 1);
PROGRAM
node provider.mjs
