/** The beginning of a SOCKS5 connection (RFC 1928, and RFC 1929 for a user and a password). */
import { isIP, type Socket } from 'node:net';
import { SocketReader } from './socket-reader.ts';
import { decoded } from './url-part.ts';

const version = 5;
const withoutPassword = 0;
const withPassword = 2;
const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;

const refusals: Readonly<Record<number, string>> = {
  1: 'it failed, and does not say why',
  2: 'its rules do not allow it',
  3: 'there is no route to the network',
  4: 'there is no route to the host',
  5: 'connection refused',
  6: 'the way is too long',
  7: 'it opens no connections',
  8: 'it does not know this type of address',
};

/** Resolves when the other end of the socket is the destination. */
export async function greetSocks(
  socket: Socket,
  proxy: URL,
  to: { readonly host: string; readonly port: number },
): Promise<void> {
  using reader = new SocketReader(socket);
  const [user, password] = [proxy.username, proxy.password].map((part) => Buffer.from(decoded(part)));
  const hasUser = proxy.username !== '' || proxy.password !== '';
  socket.write(Buffer.from(hasUser ? [version, 2, withoutPassword, withPassword] : [version, 1, withoutPassword]));
  const [spoken, method] = await reader.read(2);
  if (spoken !== version) throw new Error('does not speak SOCKS5; is its address right?');
  if (method === withPassword && user && password) await signIn(socket, reader, user, password);
  else if (method !== withoutPassword) {
    throw new Error(hasUser ? 'wants another way to sign in' : 'wants a user and a password, in its URL');
  }
  const port = Buffer.alloc(2);
  port.writeUInt16BE(to.port);
  socket.write(Buffer.concat([Buffer.from([version, connectCommand, 0]), addressOf(to.host), port]));
  const [, reply = 0, , type] = await reader.read(4);
  if (reply !== 0) {
    throw new Error(`does not let us through to ${to.host}:${to.port}: ${refusals[reply] ?? `reply ${reply}`}`);
  }
  // Where it connected from is of no interest, but must be read.
  const length = type === addressTypes.ipv4 ? 4 : type === addressTypes.ipv6 ? 16 : ((await reader.read(1))[0] ?? 0);
  await reader.read(length + port.length);
}

async function signIn(socket: Socket, reader: SocketReader, user: Buffer, password: Buffer): Promise<void> {
  if (user.length > 255 || password.length > 255) throw new Error('takes no user or password of over 255 bytes');
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
  const [, status] = await reader.read(2);
  if (status !== 0) throw new Error('does not accept the user and password in its URL');
}

function addressOf(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([addressTypes.ipv4, ...host.split('.').map(Number)]);
  if (isIP(host) === 6) return Buffer.concat([Buffer.from([addressTypes.ipv6]), ipv6Bytes(host)]);
  const name = Buffer.from(host);
  return Buffer.concat([Buffer.from([addressTypes.name, name.length]), name]);
}

function ipv6Bytes(host: string): Buffer {
  // The URL parser writes an address in its canonical form, without an IPv4 part at its end.
  const canonical = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0);
  const groups = [...(before ?? []), ...Array<string>(zeros).fill('0'), ...(after ?? [])];
  const bytes = Buffer.alloc(16);
  groups.forEach((group, i) => void bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2));
  return bytes;
}
