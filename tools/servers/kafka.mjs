// Apache Kafka, one broker that is its own KRaft controller. From Maven; runs on any Java from 11 to 23.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFromDebian } from '../setup/debian.mjs';
import { onPath } from '../setup/on-path.mjs';
import { SetupError } from '../setup/step.mjs';
import { folderOf, here, installOnce, serversCache } from './installing.mjs';
import { answers, freePorts } from './ports.mjs';
import { Guard, ServerProcess } from './server-process.mjs';

const VERSION = '3.9.1';
const folderFor = (version) => folderOf('kafka', ['pom.xml', 'kafka.mjs'], version);
/** With its version: Maven would otherwise ask which is the latest. */
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const HOW =
  'Kafka needs Java 11 or newer and Maven (Debian: apt-get install default-jre-headless maven), or set KAFKA_BROKERS to a broker that runs.';

const HEAP = ['-Xms64m', '-Xmx384m'];
/** A broker for tests lives for seconds: quick to start matters more than the last bit of speed. */
const QUICK = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

const LOGGING = `log4j.rootLogger=WARN, out
log4j.logger.kafka.server.KafkaRaftServer=INFO
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d %p %c{1} %m%n
`;

/** The server of that version. Kafka 4 needs Java 17. */
export function kafkaOf(version) {
  const kafka = {
    name: 'kafka',
    title: 'Kafka',

    given(env) {
      return env.KAFKA_BROKERS ? { brokers: env.KAFKA_BROKERS } : null;
    },

    environment({ brokers }) {
      return { KAFKA_BROKERS: brokers };
    },

    /** Paths of an installed Kafka and Java, or null. Reads only file stats. */
    find() {
      const home = join(serversCache, folderFor(version));
      const java = javaProgram();
      return existsSync(home) && java !== null ? { home, java } : null;
    },

    async install(step) {
      const maven = await ensurePrograms(step);
      step.begin(`Fetching Kafka ${version}`);
      const home = await installOnce(folderFor(version), async (folder) => {
        await step.exec(
          maven,
          [
            '-B',
            '-q',
            '--strict-checksums',
            '-f',
            join(here, 'pom.xml'),
            COPY,
            `-Dkafka.version=${version}`,
            `-DoutputDirectory=${folder}/lib`,
            '-DincludeScope=runtime',
          ],
          { advice: `Check that Maven reaches its repository. ${HOW}` },
        );
        writeFileSync(join(folder, 'log4j.properties'), LOGGING);
        // A formatted, empty log directory, the same for every broker: formatting takes longer than copying.
        const settings = join(folder, 'format.properties');
        writeFileSync(settings, properties({ port: 9092, controller: 9093, data: join(folder, 'data') }));
        const format = ['kafka.tools.StorageTool', 'format', '-t', 'adit-test-servers-0001', '-c', settings];
        await step.exec(javaProgram(), [...javaArgs(folder), ...format], { advice: HOW });
      });
      const installation = { home, java: javaProgram() };
      await archiveClasses(kafka, version, installation, step);
      return installation;
    },

    async plan({ home, java }, { folder, host = '127.0.0.1' }, javaOptions = sharedClasses(version)) {
      const [port, controller] = await freePorts(2);
      const data = join(folder, 'data');
      cpSync(join(home, 'data'), data, { recursive: true });
      const settings = join(folder, 'server.properties');
      writeFileSync(settings, properties({ host, port, controller, data }));
      return {
        facts: { brokers: `${host}:${port}` },
        process: {
          command: java,
          args: [...javaOptions, ...javaArgs(home), 'kafka.Kafka', settings],
          env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
          ready: (text) => started(text, port, host),
        },
      };
    },

    contained({ port }) {
      const settings = {
        ...brokerSettings({ port, controller: 9093, data: '/var/lib/kafka/data' }),
        // The port that clients are told is not one of the container's: the broker finds itself at another.
        listeners: 'PLAINTEXT://0.0.0.0:9092,INTERNAL://127.0.0.1:9094,CONTROLLER://127.0.0.1:9093',
        'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},INTERNAL://127.0.0.1:9094`,
        'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
        'inter.broker.listener.name': 'INTERNAL',
      };
      return {
        facts: { brokers: `127.0.0.1:${port}` },
        container: {
          inside: 9092,
          env: {
            ...imageVariables(settings),
            KAFKA_HEAP_OPTS: HEAP.join(' '),
            KAFKA_JVM_PERFORMANCE_OPTS: QUICK.join(' '),
          },
          ready: (text) => started(text, port),
        },
      };
    },
  };
  return kafka;
}

export const kafka = kafkaOf(VERSION);

const started = async (text, port, host) => text.includes('Kafka Server started') && (await answers(port, host));

/**
 * Starts a broker once to keep the classes it loads in Java's own archive format, from which the next ones start in
 * half the time.
 */
async function archiveClasses(kafka, version, installation, step) {
  step.begin('Preparing Kafka’s quick start');
  const guard = new Guard();
  try {
    await installOnce(classesFolder(version), async (folder) => {
      const archive = join(folder, 'classes.jsa');
      const { process: server } = await kafka.plan(installation, { folder }, [`-XX:ArchiveClassesAtExit=${archive}`]);
      const run = new ServerProcess({ name: 'Kafka', folder, log: join(folder, 'server.log'), guard, ...server });
      await run.start();
      await run.stop(60_000);
      rmSync(join(folder, 'data'), { recursive: true, force: true });
    });
  } catch (error) {
    console.error(`Kafka starts without it: ${error.message}`);
  } finally {
    guard.dismiss();
  }
}

function sharedClasses(version) {
  const archive = join(serversCache, classesFolder(version), 'classes.jsa');
  return existsSync(archive) ? [`-XX:SharedArchiveFile=${archive}`] : [];
}

function classesFolder(version) {
  const { stderr } = spawnSync(javaProgram(), ['-version'], { encoding: 'utf8' });
  return folderOf('kafka-classes', ['pom.xml', 'kafka.mjs'], version, stderr);
}

async function ensurePrograms(step) {
  if (javaProgram() === null || onPath('mvn') === null) {
    await installFromDebian(step, 'Installing Java and Maven from Debian', ['default-jre-headless', 'maven']);
  }
  const maven = onPath('mvn');
  if (javaProgram() === null || maven === null) {
    throw new SetupError(`${javaProgram() === null ? 'Java' : 'Maven'} is not installed. ${HOW}`);
  }
  return maven;
}

function javaProgram() {
  const home = process.env.JAVA_HOME;
  const program = home ? join(home, 'bin/java') : null;
  return program !== null && existsSync(program) ? program : onPath('java');
}

function javaArgs(home) {
  const jars = readdirSync(join(home, 'lib')).filter((name) => name.endsWith('.jar'));
  return [
    ...HEAP,
    ...QUICK,
    '-Xshare:auto',
    '-Xlog:disable',
    `-Dlog4j.configuration=file:${join(home, 'log4j.properties')}`,
    '-cp',
    jars
      .sort()
      .map((jar) => join(home, 'lib', jar))
      .join(':'),
  ];
}

function properties({ data, ...others }) {
  mkdirSync(data, { recursive: true });
  return Object.entries(brokerSettings({ data, ...others }))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** The image takes every setting from a variable. */
function imageVariables(settings) {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, value]),
  );
}

function brokerSettings({ host = '127.0.0.1', port, controller, data }) {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://${host}:${port},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://${host}:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    'num.partitions': 1,
    'auto.create.topics.enable': false,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    // A machine with much else to do holds the broker up for seconds; fenced, it would turn all groups away, again and again.
    'broker.session.timeout.ms': 9000,
    'broker.heartbeat.interval.ms': 500,
  };
}
