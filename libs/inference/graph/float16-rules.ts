/**
 * Treatment of ONNX operators (https://onnx.ai/onnx/operators/) in float16. `product`: gains, and is always converted;
 * `between`: converted between products; `never`: sums over many numbers, powers and divisions by roots leave the range
 * or lose precision, and recurrences accumulate errors.
 */
export type HalfRule = 'product' | 'between' | 'never';

/**
 * Version of the float16 numbers, raised whenever the same graph would give others; part of the digest of float16
 * results.
 */
export const FLOAT16_VERSION = 1;

const PRODUCTS = ['Conv', 'ConvTranspose', 'Gemm', 'MatMul'];

/** Operators whose outputs all have the type of their first input. */
const BETWEEN =
  `Abs Add AveragePool Ceil Clip Concat DepthToSpace Div Elu Erf Expand Flatten Floor Gather GatherElements GatherND Gelu
  GlobalMaxPool HardSigmoid HardSwish Identity LeakyRelu Max MaxPool Min Mish Mul Neg PRelu Pad Relu Reshape Resize Round Selu
  Sigmoid Sign Slice Softplus Softsign SpaceToDepth Split Squeeze Sub Sum Tanh ThresholdedRelu Tile Transpose Unsqueeze
  Upsample`.split(/\s+/);
const NEVER =
  `BatchNormalization CumSum Exp GRU GlobalAveragePool GlobalLpPool InstanceNormalization LRN LSTM LayerNormalization Log
  LogSoftmax LpNormalization MeanVarianceNormalization Pow RNN Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum
  ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare ScatterElements ScatterND Softmax
  Sqrt`.split(/\s+/);
/** Operators with outputs of another type: the first output, and those after it. */
const OTHERS: Record<string, ['first' | 'int64' | 'bool', ('int64' | 'bool')?]> = {
  ArgMax: ['int64'],
  ArgMin: ['int64'],
  NonMaxSuppression: ['int64'],
  NonZero: ['int64'],
  Shape: ['int64'],
  Size: ['int64'],
  And: ['bool'],
  Equal: ['bool'],
  Greater: ['bool'],
  GreaterOrEqual: ['bool'],
  IsInf: ['bool'],
  IsNaN: ['bool'],
  Less: ['bool'],
  LessOrEqual: ['bool'],
  Not: ['bool'],
  Or: ['bool'],
  Xor: ['bool'],
  Dropout: ['first', 'bool'],
  MaxPool: ['first', 'int64'],
  TopK: ['first', 'int64'],
};

const RULES = new Map<string, HalfRule>([
  ...PRODUCTS.map((op): [string, HalfRule] => [op, 'product']),
  ...BETWEEN.map((op): [string, HalfRule] => [op, 'between']),
]);
const FIRST = new Set([...PRODUCTS, ...BETWEEN, ...NEVER]);

/** First opset in which CUDA and others have these in float16; before it, the graph would move to the CPU and back. */
const SINCE: Record<string, number> = { Clip: 12, Max: 12, Min: 12 };

/** Operators that only move numbers or change signs, so that there is nothing to round. */
const MOVING = new Set(
  `Abs Concat DepthToSpace Expand Flatten Gather GatherElements GatherND GlobalMaxPool Identity Max MaxPool Min Neg Pad Relu
  Reshape Slice SpaceToDepth Split Squeeze Tile Transpose Unsqueeze`.split(/\s+/),
);

export function rounds(op: string): boolean {
  return !MOVING.has(op);
}

export function inHalf(op: string, opset: number): HalfRule {
  return opset < (SINCE[op] ?? 0) ? 'never' : (RULES.get(op) ?? 'never');
}

/** Tests for inputs that stay float32: regions and factors of resizing. */
export function readsFull(op: string, input: number): boolean {
  return (op === 'Resize' && input > 0) || (op === 'Upsample' && input > 0);
}

/** Returns the type of an output; `first` means that of the first input. Null for an unknown operator. */
export function typeOfOutput(op: string, output: number): 'first' | 'int64' | 'bool' | null {
  const other = OTHERS[op];
  if (other !== undefined) return (output === 0 ? other[0] : (other[1] ?? null)) ?? null;
  return FIRST.has(op) ? 'first' : null;
}
