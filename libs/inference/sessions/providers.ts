/** ONNX Runtime's execution providers: where a graph may run. */
export const PROVIDERS = ['cpu', 'cuda', 'tensorrt', 'webgpu'] as const;
export type Provider = (typeof PROVIDERS)[number];
