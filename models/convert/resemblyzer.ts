import { readFile } from 'node:fs/promises';
import { BATCH, GraphBuilder } from './graph-builder.js';
import { inOnnxOrder } from './lstm.js';
import { checkpointTensors } from './pytorch-checkpoint.js';
import { conversionError } from './tensor.js';

// resemblyzer/hparams.py: 160 frames of 25 ms, one every 10 ms, in 40 bands at 16 kHz.
const RATE = 16_000;
const FRAME = 400;
const HOP = 160;
const FRAMES = 160;
const BINS = FRAME / 2 + 1;
const BANDS = 40;
const UNITS = 256;
const LAYERS = 3;
/** Samples that the frames need. */
export const RESEMBLYZER_SAMPLES = FRAME + (FRAMES - 1) * HOP;
/** RMS of the network's input, 0..1: -23 dB of full scale. */
const LEVEL = 10 ** (-23 / 20);

/**
 * Builds Resemblyzer's encoder of voices as one graph: `sound` N×25840, 16 kHz in mono, gives `embedding` N×256 of
 * length 1, close by cosine for sound of one speaker. Level, Hann windows, power, Slaney's mel bands (as in
 * librosa.feature.melspectrogram; no logarithm), three LSTM layers, the last state of which becomes the embedding.
 * Resemblyzer only amplifies quiet sound; here every level is normalised.
 * @throws AditError when the file is no such checkpoint.
 */
export async function convertResemblyzer(path: string): Promise<Uint8Array> {
  const tensors = checkpointTensors(await readFile(path), 'model_state');
  const weights = (name: string, ...dims: number[]): Float32Array => {
    const tensor = tensors.get(name);
    if (!(tensor?.data instanceof Float32Array) || tensor.dims.join() !== dims.join()) {
      throw conversionError(`${path} has no ${name} of ${dims.join('×')}`);
    }
    return tensor.data;
  };
  const graph = new GraphBuilder();
  const sound = graph.input('sound', [BATCH, RESEMBLYZER_SAMPLES]);
  let frames = melFrames(graph, atOneLevel(graph, sound));
  // N×1×40×160 → 160×N×40, which ONNX's LSTM takes.
  frames = graph.node('Transpose', [graph.node('Squeeze', [frames, graph.integers([1])])], { perm: [2, 0, 1] });
  let last = '';
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const inputs = layer === 0 ? BANDS : UNITS;
    const [all = '', end = ''] = graph.outputsOf(
      'LSTM',
      [
        frames,
        graph.floats(inOnnxOrder(weights(`lstm.weight_ih_l${layer}`, 4 * UNITS, inputs)), [1, 4 * UNITS, inputs]),
        graph.floats(inOnnxOrder(weights(`lstm.weight_hh_l${layer}`, 4 * UNITS, UNITS)), [1, 4 * UNITS, UNITS]),
        graph.floats(
          [
            ...inOnnxOrder(weights(`lstm.bias_ih_l${layer}`, 4 * UNITS)),
            ...inOnnxOrder(weights(`lstm.bias_hh_l${layer}`, 4 * UNITS)),
          ],
          [1, 8 * UNITS],
        ),
      ],
      { hidden_size: UNITS },
      2,
    );
    frames = layer < LAYERS - 1 ? graph.node('Squeeze', [all, graph.integers([1])]) : '';
    last = graph.node('Squeeze', [end, graph.integers([0])]);
  }
  const linear = graph.node(
    'Gemm',
    [
      last,
      graph.floats(weights('linear.weight', UNITS, UNITS), [UNITS, UNITS]),
      graph.floats(weights('linear.bias', UNITS), [UNITS]),
    ],
    { transB: 1 },
  );
  const raw = graph.node('Relu', [linear]);
  const length = graph.node('Max', [graph.node('ReduceL2', [raw], { axes: [1] }), graph.floats([1e-9])]);
  graph.output('embedding', graph.node('Div', [raw, length]), [BATCH, UNITS]);
  return graph.toModel('resemblyzer');
}

/** Scales the sound to an RMS of LEVEL; silence stays silence. */
function atOneLevel(graph: GraphBuilder, sound: string): string {
  const power = graph.node('ReduceMean', [graph.node('Mul', [sound, sound])], { axes: [1] });
  const level = graph.node('Max', [graph.node('Sqrt', [power]), graph.floats([1e-6])]);
  return graph.node('Mul', [sound, graph.node('Div', [graph.floats([LEVEL]), level])]);
}

/** Power in BANDS bands of each frame, N×1×40×160. */
function melFrames(graph: GraphBuilder, sound: string): string {
  const line = graph.node('Unsqueeze', [sound, graph.integers([1])]);
  // A discrete Fourier transform of each frame, real parts first, as a convolution: N×402×160.
  const spectrum = graph.node('Conv', [line, graph.floats(windowedWaves(), [2 * BINS, 1, FRAME])], { strides: [HOP] });
  const squares = graph.node('Mul', [spectrum, spectrum]);
  const shape = graph.integers([0, 2, BINS, FRAMES]);
  const power = graph.node('ReduceSum', [graph.node('Reshape', [squares, shape]), graph.integers([1])]);
  return graph.node('MatMul', [graph.floats(melBands(), [BANDS, BINS]), power]);
}

/** Cosines and sines of each bin under a periodic Hann window. */
function windowedWaves(): Float32Array {
  const waves = new Float32Array(2 * BINS * FRAME);
  for (let bin = 0; bin < BINS; bin += 1) {
    for (let i = 0; i < FRAME; i += 1) {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME);
      // The angle is reduced first, since large angles lose digits.
      const angle = (2 * Math.PI * ((bin * i) % FRAME)) / FRAME;
      waves[bin * FRAME + i] = hann * Math.cos(angle);
      waves[(BINS + bin) * FRAME + i] = hann * Math.sin(angle);
    }
  }
  return waves;
}

/** Triangles of equal area on the Slaney scale (linear up to 1 kHz), from 0 to half the sampling rate: BANDS×BINS. */
function melBands(): Float32Array {
  const toHz = (mel: number): number =>
    mel < 15 ? (mel * 200) / 3 : 1000 * Math.exp((Math.log(6.4) / 27) * (mel - 15));
  const top = 15 + (27 * Math.log(RATE / 2 / 1000)) / Math.log(6.4);
  const bands = new Float32Array(BANDS * BINS);
  for (let band = 0; band < BANDS; band += 1) {
    const edge = (i: number): number => toHz((top * (band + i)) / (BANDS + 1));
    const [low, mid, high] = [edge(0), edge(1), edge(2)];
    for (let bin = 0; bin < BINS; bin += 1) {
      const hz = (bin * RATE) / FRAME;
      const weight = Math.max(0, Math.min((hz - low) / (mid - low), (high - hz) / (high - mid)));
      bands[band * BINS + bin] = (weight * 2) / (high - low);
    }
  }
  return bands;
}
