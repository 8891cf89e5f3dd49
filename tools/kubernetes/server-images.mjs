// Images of Kafka, PostgreSQL and an object store for the chart's evaluation, where no registry can be asked: the programs of the test
// servers, told what to do by the variables of the images that the chart names.
import { cpSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { kafka } from '../servers/kafka.mjs';
import { objectStores } from '../servers/object-stores.mjs';
import { carriedPostgres } from '../servers/postgres.mjs';
import { debianImage } from './image.mjs';

/** KAFKA_NODE_ID=1 is node.id=1 in the server's properties, as in Apache's image. */
const KAFKA = `#!/bin/bash
set -eu
settings=/tmp/server.properties
while IFS='=' read -r name value; do
  [ "$name" = KAFKA_HEAP_OPTS ] && continue
  name=\${name#KAFKA_}
  name=\${name,,}
  echo "\${name//_/.}=$value"
done < <(env | grep ^KAFKA_) > "$settings"
run() { java $KAFKA_HEAP_OPTS -XX:+UseSerialGC -Dlog4j.configuration=file:/opt/kafka/log4j.properties -cp '/opt/kafka/lib/*' "$@"; }
[ -e "$KAFKA_LOG_DIRS/meta.properties" ] || run kafka.tools.StorageTool format -t adit-evaluation-00001 -c "$settings"
exec java $KAFKA_HEAP_OPTS -XX:+UseSerialGC -Dlog4j.configuration=file:/opt/kafka/log4j.properties -cp '/opt/kafka/lib/*' kafka.Kafka "$settings"
`;

/** A database of that name and owner is made at the first start, and passwords are asked for over the network. */
const POSTGRES = `#!/bin/bash
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile=<(printf %s "$POSTGRES_PASSWORD") --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --no-locale
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -D "$PGDATA" -c 'listen_addresses=*' -c unix_socket_directories=/tmp
`;

/** Answers the names of the images, as the chart's values take them; `objects` is a name of `objectStores`. */
export async function serverImages(step, objects) {
  const { home } = kafka.find() ?? (await kafka.install(step));
  const names = {
    kafkaImage: 'localhost/evaluation-kafka:1',
    databaseImage: 'localhost/evaluation-postgres:2',
    objectsImage: `localhost/evaluation-${objects}:1`,
  };
  const started = (folder, text) => writeFileSync(join(folder, 'start'), text, { mode: 0o755 });
  await debianImage(
    step,
    names.kafkaImage,
    [
      'RUN apt-get update && apt-get install -y --no-install-recommends default-jre-headless',
      'COPY kafka /opt/kafka',
      'COPY start /start',
      'ENTRYPOINT ["/start"]',
    ],
    (folder) => {
      for (const part of ['lib', 'log4j.properties']) {
        cpSync(join(home, part), join(folder, 'kafka', part), { recursive: true });
      }
      started(folder, KAFKA);
    },
  );
  const { folder: carrier, programs } = await carriedPostgres(step);
  await debianImage(
    step,
    names.databaseImage,
    [
      'RUN useradd --uid 999 postgres',
      'COPY postgres /opt/postgres',
      'COPY start /start',
      `ENV PATH=/opt/postgres/${programs}:/usr/local/bin:/usr/bin:/bin`,
      'ENTRYPOINT ["/start"]',
    ],
    (folder) => {
      cpSync(carrier, join(folder, 'postgres'), { recursive: true });
      started(folder, POSTGRES);
    },
  );
  const store = objectStores[objects];
  const { program } = store.find() ?? (await store.install(step));
  const file = basename(program);
  const lines = [`COPY ${file} /usr/bin/${file}`, `ENTRYPOINT ["${file}"]`];
  await debianImage(step, names.objectsImage, lines, (folder) => cpSync(program, join(folder, file)));
  return names;
}
