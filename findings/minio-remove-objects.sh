#!/bin/sh
# minio (JavaScript client): removeObjects answers refused deletions in another shape than its type says.
#
# Versions: minio 8.0.7, typescript 6.0.3.
#
# The type of what removeObjects resolves with is
#   RemoveObjectsResponse[] = (null | undefined | { Error?: { Code?, Message?, Key?, VersionId? } })[]
# What it resolves with is an array of the errors themselves, without the property `Error`. Code that compiles against the type,
#   results.filter((result) => result?.Error !== undefined)
# finds no failure, whatever the server refused: an object under retention or legal hold, or one that the key may not delete. A
# loop of "list, removeObjects, until the listing is empty" then never ends, since the promise does not reject either.
#
# A server on loopback answers the request as S3 does: status 200, DeleteResult with an Error for each object that stays.
#
# Output seen:
#   resolved with [{"Key":"held","VersionId":"v1","Code":"AccessDenied","Message":"Object is WORM protected"},{"Key":"denied","Code":"AccessDenied","Message":"Access Denied."}]
#   failures as the type has them: 0
#   failures there are: 2
#   as it is typed: compiles
#   as it is: error TS2339
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund minio@8.0.7 typescript@6.0.3 >&2

cat > refused.cjs <<'PROGRAM'
const { createServer } = require('node:http');
const { Client } = require('minio');

const ANSWER = `<?xml version="1.0" encoding="UTF-8"?>
<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Error><Key>held</Key><VersionId>v1</VersionId><Code>AccessDenied</Code><Message>Object is WORM protected</Message></Error>
  <Error><Key>denied</Key><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>
</DeleteResult>`;

const server = createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('content-type', 'application/xml').end(ANSWER));
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const client = new Client({
    endPoint: '127.0.0.1',
    port,
    useSSL: false,
    region: 'us-east-1',
    accessKey: 'key',
    secretKey: 'secret',
  });
  const results = await client.removeObjects('bucket', [{ name: 'held', versionId: 'v1' }, { name: 'denied' }]);
  console.log('resolved with', JSON.stringify(results));
  console.log('failures as the type has them:', results.filter((result) => result?.Error !== undefined).length);
  console.log('failures there are:', results.filter((result) => result?.Code !== undefined).length);
  server.close();
  server.closeAllConnections();
});
PROGRAM

for shape in 'as it is typed:Error?.Code' 'as it is:Code'; do
  cat > checked.ts <<CHECKED
import type { Client } from 'minio';
export const codes = async (client: Client) =>
  (await client.removeObjects('bucket', ['held'])).map((result) => result?.${shape#*:});
CHECKED
  npx tsc --noEmit --strict --skipLibCheck --module nodenext --target es2022 checked.ts > "${shape%%:*}" 2>&1 || true
done

{
  node refused.cjs
  for shape in 'as it is typed' 'as it is'; do
    if [ -s "$shape" ]; then
      echo "$shape: $(grep -o 'error TS[0-9]*' "$shape" | sort -u | tr '\n' ' ' | sed 's/ $//')"
    else
      echo "$shape: compiles"
    fi
  done
} | tee seen

cat > wanted <<'WANTED'
resolved with [{"Key":"held","VersionId":"v1","Code":"AccessDenied","Message":"Object is WORM protected"},{"Key":"denied","Code":"AccessDenied","Message":"Access Denied."}]
failures as the type has them: 0
failures there are: 2
as it is typed: compiles
as it is: error TS2339
WANTED
cmp -s seen wanted || { echo 'The behaviour has changed.' >&2; exit 1; }
