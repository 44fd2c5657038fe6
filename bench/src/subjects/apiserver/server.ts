/**
 * The embedded API server as a process. Arguments: a port, and where to write a kubeconfig.
 *
 * Whenever it is told anything, it says how many bytes it holds after a collection.
 */
import { writeFileSync } from 'node:fs';
import process, { argv } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { createApiServer } from '@keelson/apiserver';
import { heldBytes } from '../held-bytes.ts';
import { tell } from '../subject.ts';

const [, , port, kubeconfig = ''] = argv;
const listening = await createApiServer().listen({ port: Number(port) });
writeFileSync(kubeconfig, listening.kubeconfig, { mode: 0o600 });
tell({ listening: 1 });
setFlagsFromString('--semi-space-growth-factor=1'); // as `keelson cluster start` does once it is ready

process.on('message', () => tell({ heldBytes: heldBytes() }));
