/** The thread that compares the faces of classes, as `ClassThread` starts it. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { ClassReply, ClassRequest } from './class-requests.js';
import { ClassFaces } from './cluster-faces.js';

/** Behind the engine, as the programs are that it runs over media. */
const NICENESS = 5;

const classes = new Map<string, ClassFaces>();

// Linux has a priority for each thread; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + NICENESS));

parentPort?.on('message', (request: ClassRequest) => {
  let reply: ClassReply;
  try {
    reply = compared(request);
  } catch (error) {
    classes.delete(request.id);
    // Nothing here throws what is no Error; not `instanceof`, for a test runner has other classes.
    reply = { failure: (error as Error).message };
  }
  parentPort?.postMessage(reply);
});

function compared({ forget, id, known, faces }: ClassRequest): ClassReply {
  for (const each of forget) classes.delete(each);
  let one = known === 0 ? undefined : classes.get(id);
  if (known > 0 && one?.size !== known) throw new Error(`Of class ${id} are ${one?.size ?? 0} images known.`);
  one ??= new ClassFaces();
  classes.set(id, one);
  const before = one.compared;
  for (const face of faces) one.add(face);
  return { ...one.found(), compared: one.compared - before };
}
