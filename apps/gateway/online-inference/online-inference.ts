import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, ONLINE_INFERENCE_LIMITS, onlineInferenceTopic } from '@adit/contracts';
import { InferenceRequestEntity, type InferenceResponse, type InferenceRequest } from '@adit/database';
import type { ResolvedAnalysis, ResolvedModule } from '@adit/jobs';
import { deleteInferenceRequest, insertInferenceRequest } from '@adit/online-inference';
import { enqueue, OutboxRelay } from '@adit/outbox';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { Caller } from '../http/caller.js';
import { ConcurrencyLimit } from '../http/bodies/concurrency-limit.js';
import type { Picture } from './pictures.js';

interface Asked {
  analyses: readonly ResolvedAnalysis[];
  module: Pick<ResolvedModule, 'moduleId' | 'args' | 'models'> | null;
}

/** Number of times that one gateway looks for the answers of all who wait there. */
const POLL_MS = 10;

/**
 * Asks an inference service what one picture shows, and waits. The question is a row and a message that names it, like any
 * work; the answer is written to the row. Nothing is decoded or run in this process.
 */
@Injectable()
export class OnlineInference {
  /** Callbacks of the requests that wait, by the id of the question. */
  private readonly waiting = new Map<string, (answered: InferenceRequestEntity) => void>();
  private watching = false;
  private limitMs = ONLINE_INFERENCE_LIMITS.seconds * 1000;
  /** Limits the concurrent questions of each key. */
  private readonly limit: ConcurrencyLimit;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(GATEWAY_CONFIG)
    { onlineInferenceConcurrency: concurrency }: Pick<GatewayConfig, 'onlineInferenceConcurrency'>,
  ) {
    const message = `This key may have ${concurrency} pictures looked at at the same time; wait for an answer.`;
    this.limit = new ConcurrencyLimit({ concurrency, waiting: 0, message });
  }

  /** Sets a shorter time limit, for the specs. */
  withLimit(milliseconds: number): this {
    this.limitMs = milliseconds;
    return this;
  }

  /**
   * Returns what analyses detect in the picture, and with a module its result. Throws for a picture that cannot be
   * used, RATE_LIMITED when the key asks too much at once, UNAVAILABLE when nobody answers in time.
   */
  ask(caller: Caller, picture: Picture, asked: Asked): Promise<InferenceResponse> {
    return this.limit.run(caller.countedAs, () => this.asked(caller.workspaceId, picture, questionOf(asked)));
  }

  private async asked(workspaceId: string, picture: Picture, question: InferenceRequest): Promise<InferenceResponse> {
    const id = randomUUID();
    const { source, objectKey } = picture;
    const isOnTheWeb = source !== null && objectKey !== null;
    const [first] = question.analyses;
    if (first === undefined) throw new AditError('INTERNAL', 'An inference request without an analysis.');
    try {
      await this.outbox.transaction(async (manager) => {
        await insertInferenceRequest(manager, { id, workspaceId, source, objectKey, question });
        const topic = isOnTheWeb ? ('pictures.requested' as const) : onlineInferenceTopic(first.name);
        await enqueue(manager, [{ topic, key: id, jobId: id, workspaceId, payload: { lookId: id } }]);
      });
      const { answer, problem } = await this.answered(id);
      if (answer !== null) return answer;
      throw refusal(problem, picture.pointer);
    } finally {
      await deleteInferenceRequest(this.db.manager, id);
    }
  }

  private answered(id: string): Promise<InferenceRequestEntity> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        const message = `No service looked at the picture within ${this.limitMs / 1000} s. Try again.`;
        reject(new AditError('UNAVAILABLE', message));
      }, this.limitMs);
      this.waiting.set(id, (answered) => {
        clearTimeout(timer);
        this.waiting.delete(id);
        resolve(answered);
      });
      void this.watch();
    });
  }

  /** One statement asks for all. What the database refuses is asked again, until those who wait give up. */
  private async watch(): Promise<void> {
    if (this.watching) return;
    this.watching = true;
    while (this.waiting.size > 0) {
      await sleep(POLL_MS);
      const ids = In([...this.waiting.keys()]);
      const answered = await this.db.manager
        .findBy(InferenceRequestEntity, [
          { id: ids, answer: Not(IsNull()) },
          { id: ids, problem: Not(IsNull()) },
        ])
        // eslint-disable-next-line adit/no-lost-errors -- asked again, see above
        .catch((): InferenceRequestEntity[] => []);
      for (const row of answered) this.waiting.get(row.id)?.(row);
    }
    this.watching = false;
  }
}

function questionOf({ analyses, module }: Asked): InferenceRequest {
  const families = new Set(analyses.map(({ family }) => family));
  if (families.size !== 1) {
    throw new AditError('VALIDATION', 'One picture is looked at by one service, and this needs several: post a job.');
  }
  return {
    analyses: analyses.map((needed) => ({ name: needed.analysis, args: needed.args, models: needed.models })),
    module: module && { id: module.moduleId, args: module.args, models: module.models },
  };
}

function refusal(problem: InferenceRequestEntity['problem'], pointer: string): AditError {
  const { code, message } = problem ?? { code: 'INTERNAL' as const, message: 'The answer is empty.' };
  // The client may try again, and is told why.
  if (code === 'SOURCE_UNAVAILABLE' || code === 'LIMIT_EXCEEDED') return new AditError('UNAVAILABLE', message);
  return new AditError(code, message, { errors: [{ pointer, code: code.toLowerCase(), message }] });
}
