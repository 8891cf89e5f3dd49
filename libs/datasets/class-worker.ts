/** The thread that compares the faces of classes, as `ClassThread` starts it. */
import { answerRequests, lowerPriority } from '@adit/runtime/thread-requests';
import type { ClassReply, ClassRequest } from './class-requests.js';
import { ClassFaces } from './cluster-faces.js';

/** Lower priority than the engine, as for programs that it runs over media. */
const NICENESS = 5;

const classes = new Map<string, ClassFaces>();

lowerPriority(NICENESS);

answerRequests((request: ClassRequest): ClassReply => {
  try {
    return compared(request);
  } catch (error) {
    classes.delete(request.id);
    throw error;
  }
});

function compared({ forget, id, known, faces }: ClassRequest): ClassReply {
  for (const each of forget) classes.delete(each);
  let one = known === 0 ? undefined : classes.get(id);
  if (known > 0 && one?.size !== known) throw new Error(`The thread knows ${one?.size ?? 0} images of class ${id}.`);
  one ??= new ClassFaces();
  classes.set(id, one);
  const before = one.compared;
  for (const face of faces) one.add(face);
  return { ...one.found(), compared: one.compared - before };
}
