import type { Provider } from './providers.js';

/** Receives the events of a session pool, for metrics. */
export interface PoolObserver {
  loaded?(model: string, provider: Provider, seconds: number): void;
  /** A model was requested in float16 and stays in float32, or rounds as float16 would, where the GPU has none. */
  keptInFloat32?(model: string, reason: string): void;
  /** `digest` is that of the version. */
  ran?(model: string, rows: number, seconds: number, digest: string): void;
  /** A version of a model was loaded, with that many bytes of weights in all threads together. */
  kept?(model: string, bytes: number): void;
  /** A version was unloaded: memory was needed, or its device or process has gone. */
  evicted?(model: string, bytes: number): void;
  /** The GPU failed and every session on it is gone; they are loaded anew when they are next acquired. */
  lost?(reason: string): void;
}
