// One server as a container, with the controls of a server process: its port and its data stay until it is disposed of.
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dockerEngine, LABEL } from './docker-engine.mjs';

const GRACE_SECONDS = 10;
const POLL_MS = 100;

export class ServerContainer {
  #options;
  #container = null;
  #pid = null;

  /**
   * Runs `image` with `command` and `env` under the name `container`; its port `inside` is `port` on this machine's
   * loopback address. `ready` is asked with what the server has written since its start, and a function that runs a
   * command in the container and answers its exit code, until it answers true, for `readyWithinMs`. Everything it
   * writes goes to `log`.
   */
  constructor(options) {
    this.#options = { readyWithinMs: 300_000, ...options };
  }

  /** Id of the container's first process, where the engine shares this machine's processes. */
  get pid() {
    return this.#pid;
  }

  get logFile() {
    return this.#options.log;
  }

  /** Resolves once the server answers. Throws with the last lines of its log when it does not. */
  async start() {
    const { name, log, ready, readyWithinMs } = this.#options;
    const engine = await dockerEngine();
    this.#container ??= await this.#create(engine);
    const container = this.#container;
    writeFileSync(log, '', { flag: 'a' });
    const from = readFileSync(log).length;
    await this.#follow(container);
    let ending = null;
    try {
      await container.start();
    } catch (error) {
      ending = error.message;
    }
    const run = async (command) => (await engine.container.exec(container, command)).exitCode;
    const written = () => readFileSync(log).subarray(from).toString('utf8');
    const deadline = Date.now() + readyWithinMs;
    while (ending === null) {
      if (await ready(written(), run).catch(() => false)) {
        this.#pid = (await container.inspect()).State.Pid;
        return;
      }
      const { State: state } = await container.inspect();
      if (!state.Running) ending = `exit code ${state.ExitCode}`;
      else if (Date.now() > deadline) ending = `not ready within ${readyWithinMs / 1000} s`;
      else await sleep(POLL_MS);
    }
    await container.kill().catch(() => undefined);
    const last = written().trimEnd().split('\n').slice(-12).join('\n  ');
    throw new Error(`${name} did not start (${ending}).${last === '' ? '' : `\n  ${last}`}`);
  }

  /** Asks the server to end and waits; after the grace it is killed. The data stay. */
  async stop() {
    await this.#end((container) => container.stop({ t: GRACE_SECONDS }));
  }

  /** SIGKILL: what a power cut does to the process. The data stay. */
  async kill() {
    await this.#end((container) => container.kill());
  }

  /** Ends it and forgets its data. */
  async dispose() {
    const container = this.#container;
    if (container === null) return;
    this.#container = null;
    this.#pid = null;
    await container.remove({ force: true, v: true });
    this.#options.guard.notify({ removed: container.id });
  }

  async #create(engine) {
    const { container: title, image, command, env, port, inside, guard } = this.#options;
    const container = await engine.container.create({
      name: title,
      Image: image,
      Cmd: command,
      Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
      Labels: { [LABEL]: String(process.pid) },
      ExposedPorts: { [`${inside}/tcp`]: {} },
      HostConfig: { PortBindings: { [`${inside}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: String(port) }] } },
    });
    guard.notify({ container: container.id });
    return container;
  }

  /** Before it starts, so that no line is missed. */
  async #follow(container) {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    // The output stream does not keep its owner alive.
    stream.socket?.unref();
    const file = createWriteStream(this.#options.log, { flags: 'a' });
    container.modem.demuxStream(stream, file, file);
    stream.once('end', () => file.end());
  }

  async #end(how) {
    const container = this.#container;
    if (this.#pid === null) return;
    const ended = container.wait();
    await how(container);
    await ended;
    this.#pid = null;
  }
}
