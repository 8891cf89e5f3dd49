/** @needs build */
import { floatTensor, ModelRepository, outputNamed, SessionPool, type Tensor } from '@adit/inference';
import { describe, expect, it } from '@jest/globals';
import { pulledModel } from '../testing/pulled-models.js';
import { followingOf } from './rules.js';
import { Tokenizer } from './tokenizer.js';

const SUMMARY = ['text_logits', 'text_tokens', 'text_sum', 'other_logits'];

const models = await pulledModel('whisper-base');
if ('reason' in models) {
  describe(`the decoder (skipped: ${models.reason})`, () => it.skip('all of these tests', () => undefined));
} else {
  describe('the decoder', () => {
    it('summarises the logits of all tokens correctly, row by row', async () => {
      const repository = await ModelRepository.open({ roots: [models.folder] });
      const pool = new SessionPool({ onnx: { threads: 1 } });
      const { network, release } = await pool.acquire(repository.resolve('whisper-base-decoder'));
      const tokens = new Tokenizer(await network.readFile('tokenizer.data'));
      const whole = (values: number[], dims: number[]): Tensor => ({
        ...{ type: 'int64' as const, dims },
        data: BigInt64Array.from(values, BigInt),
      });
      const inputs: Record<string, Tensor> = { tokens: whole([tokens.start, 400, 5], [3, 1]), rows: whole([0], [1]) };
      const heard = (dims: number[]): Tensor =>
        floatTensor(
          Float32Array.from({ length: tokens.heads * 64 * 50 }, (_, i) => Math.sin(i)),
          dims,
        );
      for (let layer = 0; layer < tokens.layers; layer++) {
        inputs[`past_k_${layer}`] = inputs[`past_v_${layer}`] = floatTensor(new Float32Array(0), [
          3,
          tokens.heads,
          0,
          64,
        ]);
        inputs[`cross_k_${layer}`] = heard([1, tokens.heads, 64, 50]);
        inputs[`cross_v_${layer}`] = heard([1, tokens.heads, 50, 64]);
      }
      const sequence = network.sequence();
      const { wanted } = await sequence.run(network, inputs, { wanted: ['logits', ...SUMMARY] });
      await sequence.end();
      const of = (name: string, row: number, length: number): number[] => [
        ...outputNamed(wanted, name).data.slice(row * length, (row + 1) * length),
      ];
      for (const row of [0, 1, 2]) {
        const logits = Float32Array.from(of('logits', row, tokens.size));
        const { text, textSum, others } = followingOf(logits, 6, tokens);
        expect(of('text_logits', row, 6)).toEqual(text.map(({ logit }) => logit));
        expect([...wanted['text_tokens']!.data].slice(row * 6, row * 6 + 6).map(Number)).toEqual(
          text.map(({ token }) => token),
        );
        expect(of('text_sum', row, 1)).toEqual([expect.closeTo(textSum, 3)]);
        expect(of('other_logits', row, others.length)).toEqual([...others]);
      }
      release();
      await pool.close();
      await repository.close();
    });
  });
}
