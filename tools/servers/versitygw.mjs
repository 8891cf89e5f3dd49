// versitygw, S3 over a folder, built by Go from its published module.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePublishedProgram, findPublishedProgram } from './go.mjs';
import { minio } from './minio.mjs';
import { answers, freePorts } from './ports.mjs';

const ACCESS_KEY = 'adit-test';
const SECRET_KEY = 'adit-test-secret';
const PROGRAM = {
  name: 'versitygw',
  title: 'versitygw',
  module: 'github.com/versity/versitygw@v1.8.0',
  sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
  main: './cmd/versitygw',
};

export const versitygw = {
  name: 'minio',
  title: PROGRAM.title,
  given: minio.given,
  environment: minio.environment,

  find() {
    const program = findPublishedProgram(PROGRAM);
    return program === null ? null : { program };
  },

  async install(step) {
    return { program: await ensurePublishedProgram(step, PROGRAM) };
  },

  async plan({ program }, { folder, host = '127.0.0.1' }) {
    const [port] = await freePorts(1);
    const data = join(folder, 'data');
    mkdirSync(data);
    return {
      facts: { endpoint: `http://${host}:${port}`, accessKey: ACCESS_KEY, secretKey: SECRET_KEY },
      process: {
        command: program,
        args: ['--port', `${host}:${port}`, 'posix', data],
        env: { PATH: process.env.PATH, HOME: folder, ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY },
        ready: () => answers(port, host),
      },
    };
  },
};
