interface Task {
  start: () => Promise<void>;
  refuse: (error: Error) => void;
}

/** Runs one task after the other, round robin among their owners, however many one of them has. */
export class FairQueue {
  /** By owner; the one who is next stands first. */
  private readonly queues = new Map<string, Task[]>();
  private current: Task | null = null;

  /** Returns the result of the task. Its signal aborts when the task is refused while it runs. */
  run<T>(owner: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const controller = new AbortController();
      const task: Task = {
        start: () => work(controller.signal).then(resolve, reject),
        refuse: (error) => {
          controller.abort(error);
          reject(error);
        },
      };
      const queue = this.queues.get(owner) ?? [];
      queue.push(task);
      this.queues.set(owner, queue);
      this.next();
    });
  }

  /** Refuses the task that runs and all that wait; the queue takes others afterwards. */
  refuse(error: Error): void {
    const refused = [...(this.current === null ? [] : [this.current]), ...[...this.queues.values()].flat()];
    this.current = null;
    this.queues.clear();
    for (const task of refused) task.refuse(error);
  }

  private next(): void {
    if (this.current !== null) return;
    const [first] = this.queues;
    if (first === undefined) return;
    const [owner, queue] = first;
    const task = queue.shift();
    this.queues.delete(owner);
    if (queue.length > 0) this.queues.set(owner, queue);
    if (task === undefined) return;
    this.current = task;
    void task.start().then(() => {
      if (this.current !== task) return;
      this.current = null;
      this.next();
    });
  }
}
