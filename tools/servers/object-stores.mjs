// The object stores that come as packages, by the names that people choose them by.
import { minio } from './minio.mjs';
import { seaweedfs } from './seaweedfs.mjs';
import { versitygw } from './versitygw.mjs';

export const objectStores = { minio, seaweedfs, versitygw };
