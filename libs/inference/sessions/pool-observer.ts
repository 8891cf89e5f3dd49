import type { Provider } from './providers.js';

/** Told what a pool of sessions does, for metrics. */
export interface PoolObserver {
  loaded?(model: string, provider: Provider, seconds: number): void;
  /** It was to calculate in float16 and stays in float32 as a whole, or rounds there as float16 would, where the GPU has none. */
  keptInFloat32?(model: string, reason: string): void;
  /** `digest`: of the version. */
  ran?(model: string, rows: number, seconds: number, digest: string): void;
  /** A version of a model is in memory, with so many bytes of weights in all threads together. */
  kept?(model: string, bytes: number): void;
  /** It is no longer: room was needed, or what it ran on has gone. */
  evicted?(model: string, bytes: number): void;
  /** The GPU failed and every session on it is gone; they are loaded anew when they are next acquired. */
  lost?(reason: string): void;
}
