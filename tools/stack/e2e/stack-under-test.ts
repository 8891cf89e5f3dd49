import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freshDatabase, uniqueName, type FreshDatabase, type TestServers } from '@adit/testing';
import { Api } from '../../../apps/standalone/e2e/api.js';
import { programOf, startStack, type Stack } from '../stack.mjs';

interface StackSettings {
  /** Folders that jobs may read from. */
  localRoots: string[];
  /** Settings of all processes. */
  environment?: Record<string, string>;
  /** Settings by service. */
  settings?: Record<string, Record<string, string>>;
  /** Processes by service. */
  counts?: Record<string, number>;
  /** Programs in place of a service's own. */
  programs?: Record<string, string>;
}

/** `npm test` has just built everything; on its own a spec runs the sources, never a stale build. */
const SOURCE = process.env['ADIT_BUILT'] === undefined;

/** Every service as a process of its own, on the test run's servers but in a database, topics and a bucket of its own. */
export class StackUnderTest {
  static readonly key = 'a-key-of-the-specs-alone';

  private constructor(
    private readonly folder: string,
    readonly database: FreshDatabase,
    /** Prefix of its topics. */
    readonly topicPrefix: string,
    readonly processes: Stack,
    /** Everything the processes have written, and when. */
    readonly lines: readonly { name: string; line: string; at: number }[],
    /** Environment of programs beside the processes: addresses of the servers. */
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  static async start(servers: Omit<TestServers, 'pgbouncer'>, options: StackSettings): Promise<StackUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'adit-stack-'));
    const database = await freshDatabase(servers.postgres.url, servers.postgres.migrated);
    const name = uniqueName('stack');
    const topicPrefix = `${name}.`;
    const lines: { name: string; line: string; at: number }[] = [];
    const addresses = {
      KAFKA_BROKERS: servers.kafka.brokers,
      KAFKA_TOPIC_PREFIX: topicPrefix,
      KAFKA_PARTITIONS: '4',
      DATABASE_URL: database.url,
      S3_ENDPOINT: servers.minio.endpoint,
      S3_ACCESS_KEY: servers.minio.accessKey,
      S3_SECRET_KEY: servers.minio.secretKey,
      S3_BUCKET: name,
    };
    const environment = {
      ...process.env,
      ...addresses,
      NODE_OPTIONS: '',
      ADIT_LOG_LEVEL: 'warn',
      DATABASE_DRIVER: 'postgres',
      OBJECTS_DRIVER: 'minio',
      ADIT_DATA_DIR: join(folder, 'cli'),
    };
    const processes = await startStack({
      servers: addresses,
      dataDir: folder,
      source: SOURCE,
      isBrief: true,
      environment: {
        ...process.env,
        NODE_OPTIONS: '',
        ADIT_LOG_FORMAT: 'json',
        ADIT_LOG_LEVEL: 'info',
        ADIT_API_KEY: StackUnderTest.key,
        ADIT_LOCAL_ROOTS: options.localRoots.join(','),
        ...options.environment,
      },
      settings: options.settings ?? {},
      counts: options.counts ?? {},
      programs: options.programs ?? {},
      onLine: (from, line) => void lines.push({ name: from, line, at: Date.now() }),
    });
    const stack = new StackUnderTest(folder, database, topicPrefix, processes, lines, environment);
    try {
      await processes.ready();
    } catch (error) {
      await stack.close();
      throw new Error(`${(error as Error).message}\n${stack.log()}`);
    }
    return stack;
  }

  get api(): Api {
    return new Api(this.processes.url, StackUnderTest.key);
  }

  /** Runs the command line on the servers of the processes; answers what it printed. Throws when it fails. */
  async cli(...args: string[]): Promise<string> {
    const command = [...programOf('cli', { source: SOURCE }), ...args];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { env: this.environment });
    return stdout + stderr;
  }

  /** The last lines of all processes, for a failing spec. */
  log(count = 40): string {
    return this.lines
      .slice(-count)
      .map(({ name, line }) => `${name}: ${line.slice(0, 500)}`)
      .join('\n');
  }

  /** The sum of a metric over the processes of a service. */
  async metric(service: string, name: string): Promise<number> {
    const sums = await Promise.all(
      this.processes.of(service).map(({ address }) => new Api(address, StackUnderTest.key).metric(name)),
    );
    return sums.reduce((total, sum) => total + sum, 0);
  }

  async close(): Promise<void> {
    await this.processes.stop();
    await this.database.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
