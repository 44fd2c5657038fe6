/** A port of this machine that nobody listens on, at this moment. */
import { createServer } from 'node:net';

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new TypeError('a server on a port has an address');
  return address.port;
}
