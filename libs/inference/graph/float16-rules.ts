/**
 * How the operators of ONNX (https://onnx.ai/onnx/operators/) take float16. `product`: it gains, and is always converted;
 * `between`: it is converted when it lies between products; `never`: sums over many numbers, powers and what is divided by their
 * roots leave the range or lose their last places, recurrences add errors up.
 */
export type HalfRule = 'product' | 'between' | 'never';

/** Raised whenever the same graph would give other numbers in float16: part of what is looked at in float16 is found again by. */
export const FLOAT16_VERSION = 1;

const PRODUCTS = ['Conv', 'ConvTranspose', 'Gemm', 'MatMul'];

/** Of the type of their first input, in all outputs. */
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
/** Of another type than their inputs; the first output, and those after it. */
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

/** CUDA and others have these in float16 from this opset on; before it, the graph would go to the CPU and back. */
const SINCE: Record<string, number> = { Clip: 12, Max: 12, Min: 12 };

/** What these give are numbers that they were given, but for signs: there is nothing to round. */
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

/** Inputs that are float32 whatever the others are: regions and factors of resizing. */
export function readsFull(op: string, input: number): boolean {
  return (op === 'Resize' && input > 0) || (op === 'Upsample' && input > 0);
}

/** Of which type an output is; `first` as the first input. Null for an operator that is not known here. */
export function typeOfOutput(op: string, output: number): 'first' | 'int64' | 'bool' | null {
  const other = OTHERS[op];
  if (other !== undefined) return (output === 0 ? other[0] : (other[1] ?? null)) ?? null;
  return FIRST.has(op) ? 'first' : null;
}
