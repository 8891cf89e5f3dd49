// This machine as a node of Kubernetes for as long as something is proven on it.
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
 * @property {string} scratch A folder that goes with it.
 * @property {<T>(making: Promise<T>, end: (made: T) => unknown) => Promise<T>} own Ends what is made, though it may still be in
 * the making when everything is undone.
 */

/**
 * Starts a control plane, containerd and a kubelet, and runs `prove` on them; whatever comes of it, nothing is left. What fails a
 * check is written and counted, not thrown.
 *
 * @param {(step: Step) => Promise<string[]>} buildImages Answers the names of images that pods need.
 * @param {(on: OnNode) => Promise<void>} prove
 * @returns {Promise<Checks>}
 */
export async function onNode(buildImages, prove) {
  const step = new Step();
  const checks = new Checks();
  const scratch = mkdtempSync(join(tmpdir(), 'adit-node-'));
  const closing = [() => rmSync(scratch, { recursive: true, force: true })];
  /** What was made last goes first; what cannot be undone keeps nothing else from being so. */
  const undo = async () => {
    for (const each of closing.reverse()) {
      try {
        await each();
      } catch (error) {
        console.error(error.message);
      }
    }
  };
  let undone;
  const close = () => (undone ??= undo());
  const own = async (making, end) => {
    closing.push(async () => {
      const made = await making.catch(() => undefined);
      if (made !== undefined) await end(made);
    });
    return await making;
  };
  const stop = (each) => each.stop();
  const quit = (signal) => void close().then(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  process.once('SIGINT', quit).once('SIGTERM', quit);
  try {
    await ensureNodePackages(step);
    await programImage(step, await program('pause', step), PAUSE);
    const archives = [];
    for (const name of [PAUSE, ...(await buildImages(step))]) {
      archives.push(join(scratch, `${archives.length}.tar`));
      await exportImage(step, name, archives.at(-1));
    }
    const programs = { kubelet: await program('kubelet', step), proxy: await program('kube-proxy', step) };
    step.end();

    let plane;
    let node;
    await checks.check('a node with containerd and a kubelet', async () => {
      plane = await own(startControlPlane({ scheduling: true, users: nodeUsers, step }), stop);
      node = await own(startNode(plane, programs), stop);
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
    // What failed a check was written with it.
    if (checks.failed === 0) throw error;
  } finally {
    step.end();
    await close();
    process.off('SIGINT', quit).off('SIGTERM', quit);
  }
  return checks;
}

/**
 * A release of the chart in a namespace that refuses what PodSecurity `restricted` does.
 *
 * @param {OnNode} on
 * @param {{ namespace: string, name: string, secrets: Record<string, Record<string, string>> }} release
 */
export async function releaseOn({ plane, node }, { namespace, name, secrets }) {
  const inside = (...args) => plane.kubectl('--namespace', namespace, ...args);
  const pods = async (...args) => JSON.parse(expectOk(await inside('get', 'pods', ...args, '--output', 'json'))).items;
  /** What helm or kubectl said, and what the pods that are not well wrote. */
  const orTell = async (said) => {
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
    orTell,
    helm: async (verb, ...args) => await orTell(await plane.helm(verb, name, '--namespace', namespace, ...args)),
  };
}
