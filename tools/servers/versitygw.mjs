// versitygw, S3 over a folder, built by Go from its published module.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answers, freePorts } from './ports.mjs';
import { publishedStore, ROOT } from './published-store.mjs';

const PROGRAM = {
  name: 'versitygw',
  title: 'versitygw',
  module: 'github.com/versity/versitygw@v1.8.0',
  sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
  main: './cmd/versitygw',
};

export const versitygw = {
  ...publishedStore(PROGRAM),

  async plan({ program }, { folder, host = '127.0.0.1' }) {
    const [port] = await freePorts(1);
    const data = join(folder, 'data');
    mkdirSync(data);
    return {
      facts: { endpoint: `http://${host}:${port}`, ...ROOT },
      process: {
        command: program,
        args: ['--port', `${host}:${port}`, 'posix', data],
        env: { PATH: process.env.PATH, HOME: folder, ROOT_ACCESS_KEY: ROOT.accessKey, ROOT_SECRET_KEY: ROOT.secretKey },
        ready: () => answers(port, host),
      },
    };
  },
};
