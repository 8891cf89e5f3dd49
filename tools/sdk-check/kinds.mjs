// The kinds of clients: how each is generated, compiled and run. Every program prints one line of what it read.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '../setup/execute.mjs';
import { document, noWarnings, openapiGenerator, pythonPrograms } from './generators.mjs';

const programs = join(import.meta.dirname, 'programs');

/** Each takes a folder of its own and the arguments of the program: the engine's address, a key, a photo. */
export const kinds = {
  async 'openapi-python'({ folder, args }) {
    const bin = await pythonPrograms();
    const config = join(programs, 'openapi-python-client.yaml');
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      PYTHONPATH: folder,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const generate = ['generate', '--path', document, '--output-path', folder, '--overwrite', '--config', config];
    mkdirSync(folder, { recursive: true });
    noWarnings(await execute(join(bin, 'openapi-python-client'), generate, { env }), /WARNING|ERROR/i);
    await execute(join(bin, 'python'), ['-W', 'error', '-m', 'compileall', '-q', folder], {
      env: { ...env, PYTHONDONTWRITEBYTECODE: '' },
    });
    return execute(join(bin, 'python'), [join(programs, 'openapi_python.py'), ...args], { env });
  },

  async python({ folder, args }) {
    const bin = await pythonPrograms();
    await openapiGenerator('python', folder, ['--package-name', 'adit_sdk']);
    await execute(join(bin, 'python'), ['-m', 'compileall', '-q', folder]);
    const env = { ...process.env, PYTHONPATH: folder };
    return execute(join(bin, 'python'), [join(programs, 'generated_python.py'), ...args], { env });
  },

  async go({ folder, args }) {
    const module = ['--git-host', 'example.org', '--git-user-id', 'adit', '--git-repo-id', 'sdk'];
    await openapiGenerator('go', folder, ['--package-name', 'adit', ...module]);
    mkdirSync(join(folder, 'check'));
    cpSync(join(programs, 'main.go'), join(folder, 'check/main.go'));
    await execute('go', ['mod', 'tidy'], { cwd: folder });
    await execute('go', ['vet', '.', './check'], { cwd: folder });
    return execute('go', ['run', './check', ...args], { cwd: folder });
  },

  async java({ folder, args }) {
    // Replies may have more members one day: clients are asked to take them.
    const tolerant = '--additional-properties=disallowAdditionalPropertiesIfNotPresent=false';
    await openapiGenerator('java', folder, ['--library', 'native', tolerant]);
    const sources = join(folder, 'src/main/java/org/openapitools/client');
    writeFileSync(join(sources, 'Check.java'), readFileSync(join(programs, 'Check.java')));
    const classpath = join(folder, 'classpath.txt');
    const build = ['-B', '-q', '-DskipTests', '-Dmaven.test.skip=true', 'compile'];
    const list = [
      'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath',
      `-Dmdep.outputFile=${classpath}`,
    ];
    await execute('mvn', [...build, ...list], { cwd: folder });
    const all = `${join(folder, 'target/classes')}:${readFileSync(classpath, 'utf8').trim()}`;
    return execute('java', ['-cp', all, 'org.openapitools.client.Check', ...args]);
  },
};
