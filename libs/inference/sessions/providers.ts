/** ONNX Runtime's execution providers. */
export const PROVIDERS = ['cpu', 'cuda', 'tensorrt', 'webgpu'] as const;
export type Provider = (typeof PROVIDERS)[number];
