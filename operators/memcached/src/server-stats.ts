/**
 * What a running server says about itself: `stats`, over TCP.
 *
 * Promises: an answer or an error within two seconds, whatever is at the other end; at most 64 KiB are read; only whole
 * numbers are taken. Does not: speak TLS or log in, so a server that asks for either has nothing to tell here.
 */
import { connect } from 'node:net';
import { type Clock, deadline } from '@keelson/core';

export interface ServerStats {
  /** How many items it holds. */
  readonly items: number;
  /** How many reads since it started have found something. */
  readonly hits: number;
  /** How many reads since it started have found nothing. */
  readonly misses: number;
}

/** Asks the server at an address. Tests answer in the process. */
export type ReadStats = (
  host: string,
  how: { readonly clock: Clock; readonly signal: AbortSignal },
) => Promise<ServerStats>;

const timeoutMs = 2_000;
const maxBytes = 65_536;

/** The stats of the server at `host`, from the port that every server of ours has unless told otherwise. */
export const readStats = async (
  host: string,
  { clock, signal, port = 11211 }: { readonly clock: Clock; readonly signal: AbortSignal; readonly port?: number },
): Promise<ServerStats> => {
  using limit = deadline(clock, timeoutMs, `stats of ${host}`, signal);
  return parseStats(await answerTo('stats\r\n', { host, port, signal: limit.signal }));
};

interface Place {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** All that comes until the line that ends an answer. */
function answerTo(request: string, { host, port, signal }: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      settle();
    };
    const onAbort = () => end(() => reject(signal.reason));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      if (isWhole(answer)) end(() => resolve(answer));
      else if (answer.length > maxBytes) end(() => reject(new Error(`stats of ${host}: more than ${maxBytes} bytes`)));
    });
    socket.on('close', () => end(() => reject(new Error(`stats of ${host}: the connection was closed`))));
    socket.on('error', (error) => end(() => reject(new Error(`stats of ${host}: ${error.message}`, { cause: error }))));
    socket.write(request);
  });
}

/** Looked at with every piece that comes, so only at its last line. */
const isWhole = (answer: string): boolean =>
  answer.endsWith('\r\n') &&
  /^(END|ERROR|SERVER_ERROR|CLIENT_ERROR)/.test(answer.slice(answer.lastIndexOf('\n', answer.length - 2) + 1));

/** What `stats` answers: a line for each number, among many others. */
export function parseStats(answer: string): ServerStats {
  if (!answer.endsWith('END\r\n'))
    throw new Error(`a server that tells no stats: ${JSON.stringify(firstLine(answer))}`);
  const numberOf = (name: string): number => {
    const value = new RegExp(`^STAT ${name} (\\d{1,15})\\r$`, 'm').exec(answer)?.[1];
    if (value === undefined) throw new Error(`its stats have no number ${name}`);
    return Number(value);
  };
  return { items: numberOf('curr_items'), hits: numberOf('get_hits'), misses: numberOf('get_misses') };
}

const firstLine = (answer: string): string => answer.slice(0, 100).split(/\r?\n/, 1)[0] ?? '';
