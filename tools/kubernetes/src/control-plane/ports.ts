/**
 * Free ports of an address.
 *
 * A port is found by asking the kernel for one and giving it back, so another program could take it before ours
 * does; then ours ends, and the sentence names the port.
 */
import { createServer, type Server } from 'node:net';
import { hasErrorCode, UserFacingError } from '../machine/user-facing-error.ts';

/** Distinct ports: all are held until the last is found. */
export async function freePorts(address: string, count: number): Promise<number[]> {
  const servers: Server[] = [];
  try {
    for (let index = 0; index < count; index += 1) servers.push(await listen(address, 0));
    return servers.map(portOf);
  } finally {
    await Promise.all(servers.map(close));
  }
}

export async function freePort(address: string): Promise<number> {
  const [port = 0] = await freePorts(address, 1);
  return port;
}

export async function requireFreePort(address: string, port: number): Promise<void> {
  await close(await listen(address, port));
}

function listen(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', (error) => {
      const isTaken = hasErrorCode(error, 'EADDRINUSE');
      const reason = isTaken
        ? 'is taken; leave --port out, and a free one is found'
        : `cannot be used (${error.message})`;
      reject(new UserFacingError(`Port ${port} of ${host} ${reason}.`, { cause: error }));
    });
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}
