import { AditError } from '@adit/contracts';
import type { FedTensor, GraphHost, HeldTensor, Step, StepOutput } from './onnx-graph.js';
import type { NetworkSession, Row, Sequence } from '../session.js';
import type { Tensor } from '../tensor.js';

interface Steps {
  step(network: NetworkSession, step: Step): Promise<StepOutput[]>;
  ended(): void;
}

/** A sequence in one place, with the tensors it keeps there. */
export class PlacedSequence implements Sequence {
  private readonly kept = new Set<number>();
  private over = false;

  constructor(
    private readonly place: GraphHost,
    private readonly steps: Steps,
  ) {}

  async run(
    network: NetworkSession,
    inputs: Readonly<Record<string, Tensor | FedTensor>>,
    { wanted = [], keep = [] }: { wanted?: readonly string[]; keep?: readonly string[] },
  ): Promise<{ wanted: Row; kept: Record<string, HeldTensor> }> {
    if (this.over) throw new AditError('INTERNAL', 'The sequence has ended.');
    const feeds = Object.entries(inputs).map(([name, tensor]) => ({ ...tensor, name }));
    const answered: Row = {};
    const kept: Record<string, HeldTensor> = {};
    for (const { name, ...output } of await this.steps.step(network, { feeds, wanted, keep })) {
      if ('held' in output) {
        this.kept.add(output.held);
        kept[name] = output;
      } else {
        answered[name] = output;
      }
    }
    return { wanted: answered, kept };
  }

  async drop(tensors: Iterable<HeldTensor>): Promise<void> {
    const numbers = [...tensors].map(({ held }) => held).filter((number) => this.kept.delete(number));
    if (numbers.length > 0) await this.place.drop(numbers);
  }

  async end(): Promise<void> {
    if (this.over) return;
    this.over = true;
    this.steps.ended();
    await this.place.drop([...this.kept]);
    this.kept.clear();
  }
}
