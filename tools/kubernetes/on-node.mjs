// This machine as a Kubernetes node while checks run on it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Step } from '../setup/step.mjs';
import { Checks } from './checks.mjs';
import { expectOk, startControlPlane } from './control-plane.mjs';
import { exportImage, programImage } from './image.mjs';
import { ensureNodePackages, nodeUsers, PAUSE, startNode } from './node-machine.mjs';
import { program } from './programs.mjs';
import { secretDocuments } from './values.mjs';

/**
 * @typedef {object} OnNode
 * @property {Checks} checks
 * @property {import('./control-plane.mjs').ControlPlane} plane
 * @property {import('./node-machine.mjs').NodeMachine} node
 * @property {string} scratch A folder that is removed at the end.
 * @property {<T>(making: Promise<T>, end: (made: T) => unknown) => Promise<T>} own Registers `end` for the cleanup, also while
 *   `making` has not resolved yet.
 */

/**
 * Starts a control plane, containerd and a kubelet, and runs `prove` on them; everything is removed afterwards. A failed check is
 * written and counted, not thrown.
 *
 * @param {(step: Step) => Promise<string[]>} buildImages Answers the names of images that pods need.
 * @param {(on: OnNode) => Promise<void>} prove
 * @returns {Promise<Checks>}
 */
export async function onNode(buildImages, prove) {
  const step = new Step();
  const checks = new Checks();
  const scratch = mkdtempSync(join(tmpdir(), 'adit-node-'));
  const cleanup = new Cleanup();
  cleanup.add(() => rmSync(scratch, { recursive: true, force: true }));
  const own = (making, end) => cleanup.own(making, end);
  const quit = (signal) => void cleanup.run().then(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  process.once('SIGINT', quit).once('SIGTERM', quit);
  try {
    await ensureNodePackages(step);
    const archives = await exportImages(step, scratch, buildImages);
    const programs = { kubelet: await program('kubelet', step), proxy: await program('kube-proxy', step) };
    step.end();

    let plane;
    let node;
    await checks.check('a node with containerd and a kubelet', async () => {
      plane = await own(startControlPlane({ scheduling: true, users: nodeUsers, step }), (each) => each.stop());
      node = await own(startNode(plane, programs), (each) => each.stop());
      for (const archive of archives) {
        await node.importImage(archive);
        rmSync(archive);
      }
      return expectOk(await plane.kubectl('get', 'nodes', '--no-headers'))
        .trim()
        .replace(/\s+/g, ' ');
    });
    await prove({ checks, plane, node, scratch, own });
  } catch (error) {
    // A failed check has written its error.
    if (checks.failed === 0) throw error;
  } finally {
    step.end();
    await cleanup.run();
    process.off('SIGINT', quit).off('SIGTERM', quit);
  }
  return checks;
}

/** Undoes steps once, in reverse order; a failure does not keep the others from being undone. */
class Cleanup {
  #steps = [];
  #done;

  add(step) {
    this.#steps.push(step);
  }

  async own(making, end) {
    this.add(async () => {
      const made = await making.catch(() => undefined);
      if (made !== undefined) await end(made);
    });
    return await making;
  }

  run() {
    return (this.#done ??= this.#undo());
  }

  async #undo() {
    for (const each of this.#steps.reverse()) {
      try {
        await each();
      } catch (error) {
        console.error(error.message);
      }
    }
  }
}

/** Builds the images and writes each into an archive; answers the files. */
async function exportImages(step, folder, buildImages) {
  await programImage(step, await program('pause', step), PAUSE);
  const archives = [];
  for (const name of [PAUSE, ...(await buildImages(step))]) {
    archives.push(join(folder, `${archives.length}.tar`));
    await exportImage(step, name, archives.at(-1));
  }
  return archives;
}

/**
 * Prepares a release of the chart in a namespace under PodSecurity `restricted`.
 *
 * @param {OnNode} on
 * @param {{ namespace: string, name: string, secrets: Record<string, Record<string, string>> }} release
 */
export async function releaseOn({ plane, node }, { namespace, name, secrets }) {
  const inside = (...args) => plane.kubectl('--namespace', namespace, ...args);
  const pods = async (...args) => JSON.parse(expectOk(await inside('get', 'pods', ...args, '--output', 'json'))).items;
  /** Throws the error of helm or kubectl, with the logs of pods that are not ready. */
  const expectDone = async (said) => {
    if (said.code === 0) return;
    const lines = [said.stderr.trim(), (await inside('get', 'pods', '--output', 'wide')).stdout];
    for (const { metadata, status } of await pods()) {
      const well = status.phase === 'Succeeded' || status.containerStatuses?.every(({ ready }) => ready);
      if (!well) lines.push(`${metadata.name}:`, node.logsOf(metadata.name).split('\n').slice(-40).join('\n'));
    }
    throw new Error(lines.join('\n'));
  };
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
  expectOk(
    await plane.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
      ...secretDocuments(namespace, secrets),
    ]),
  );
  return {
    inside,
    pods,
    expectDone,
    helm: async (verb, ...args) => await expectDone(await plane.helm(verb, name, '--namespace', namespace, ...args)),
  };
}
