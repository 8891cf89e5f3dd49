// What befalls an installation, for a minute or so each.
import { newWorkspace, post, queue } from './workload.mjs';

/** Seconds until a process that has died is replaced. */
const REPLACED = 30;

export const events = {
  deaths: 'a tenth of the workers die within a minute, and are replaced after 30 s',
  flood: 'a new workspace queues as many jobs as all others have',
  bus: 'the bus takes no messages for 60 s',
  database: 'the database fails over for 20 s',
  slow: 'a tenth of the workers take ten times as long from now on',
};

/** Lets the event happen, and time pass until it is over. */
export function happen(event, simulation) {
  return { deaths, flood, bus, database, slow }[event](simulation);
}

async function deaths(simulation) {
  const { analysers, random } = simulation;
  const dying = Math.max(1, Math.round(analysers.length / 10));
  for (let death = 0; death < dying; death += 1) {
    const at = Math.floor(random() * analysers.length);
    void analysers[at].kill();
    setTimeout(() => void (analysers[at] = simulation.newAnalyser()).start(), REPLACED * 1000);
    await simulation.pass(60 / dying);
  }
  await simulation.pass(REPLACED);
}

async function flood(simulation) {
  const { db, outbox, parts, jobs } = simulation;
  await simulation.during(async () => {
    const workspace = await newWorkspace(db);
    const first = await post({ outbox, objects: parts.objects }, workspace, 10);
    await queue(db, first, new Array(jobs - 1).fill(10));
  });
  await simulation.pass(30);
}

async function bus(simulation) {
  simulation.parts.bus.isAway = true;
  await simulation.pass(60);
  simulation.parts.bus.isAway = false;
}

async function database(simulation) {
  simulation.database.isAway = true;
  await simulation.pass(20);
  simulation.database.isAway = false;
}

async function slow(simulation) {
  const { analysers } = simulation;
  for (const analyser of analysers.slice(0, Math.ceil(analysers.length / 10))) analyser.slowness = 10;
  await simulation.pass(60);
}
