/** An engine whose native code dies of certain media: the supervised process of poison.e2e.spec.ts. */
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';
import { configureLogging, loadConfig } from '@adit/runtime';
import { EngineConfig } from '../config.js';
import { bootEngine } from '../engine.js';
import { SERVES } from '../supervisor.js';

const [dataDir, port, ...localRoots] = process.argv.slice(2);
const poison = new Set(process.env['ADIT_TEST_POISON']!.split(','));
process.on('disconnect', () => process.exit(0));

const own = (await AnalysisRegistry.scan(analysesFolder)).all();
const analyses = AnalysisRegistry.of(
  own.map((definition) => ({
    ...definition,
    analyse(input, context) {
      if (!poison.has(input.unit.mediaDigest)) return definition.analyse(input, context);
      // As the kernel ends a process for what its native code did.
      if (isFirstDeath()) process.kill(process.pid, 'SIGKILL');
      // As a library throws out of an event of its own.
      setImmediate(() => {
        throw new Error('an exception that nobody catches');
      });
      return new Promise(() => undefined);
    },
  })),
);
const config = loadConfig(EngineConfig);
configureLogging({ level: config.logLevel, format: config.logFormat });
const engine = await bootEngine({ ...config, dataDir: dataDir!, port: Number(port), localRoots }, { analyses });
process.send?.(SERVES);
process.on('SIGTERM', () => void engine.close().then(() => process.exit(0)));

function isFirstDeath(): boolean {
  try {
    writeFileSync(join(dataDir!, 'first-death'), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
