/**
 * The thread's end of the requests of a `ThreadClient`. It imports nothing of ours: the smaller the heap of a thread, the less its
 * collections take.
 */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** A request as it is sent; one without a number is not answered. */
export interface NumberedRequest<Request> {
  id: number | null;
  request: Request;
}

/** The reply to the request of that number, or the message of the error that it ended with. */
export type NumberedReply<Reply> = { id: number } & ({ reply: Reply } | { failure: string });

/** Answers each request. `transferred` names the memory of a reply that moves to who asked instead of being copied. */
export function answerRequests<Request, Reply>(
  answer: (request: Request) => Reply | Promise<Reply>,
  transferred: (reply: Reply) => ArrayBuffer[] = () => [],
): void {
  const answered = async ({ id, request }: NumberedRequest<Request>): Promise<void> => {
    // An error of a request that nobody waits for ends the thread.
    if (id === null) {
      await answer(request);
      return;
    }
    try {
      const reply = await answer(request);
      parentPort?.postMessage({ id, reply } satisfies NumberedReply<Reply>, transferred(reply));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      parentPort?.postMessage({ id, failure } satisfies NumberedReply<Reply>);
    }
  };
  parentPort?.on('message', (message: NumberedRequest<Request>) => void answered(message));
}

/** Lets everything else of the process go first. Only Linux has a priority for each thread. */
export function lowerPriority(niceness: number): void {
  if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + niceness));
}
