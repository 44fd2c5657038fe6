/**
 * Notices when an operator under virtual time waits for the real world: a socket, a file, a process, a timer of the
 * machine.
 *
 * Virtual time does not wait for any of that: it would go on as if nothing were under way, further each time by what the
 * machine pleases. So the first such thing is reported with the operator, and with the line that asked for it.
 * Does not: mind what the test itself does, what is written to the standard streams, or what was begun before.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Node's names for what does not come to an end within the process, and ours. */
const outside: Readonly<Record<string, string>> = {
  TCPCONNECTWRAP: 'a socket',
  TCPSERVERWRAP: 'a socket',
  UDPWRAP: 'a socket',
  PIPECONNECTWRAP: 'a socket',
  TLSWRAP: 'a socket',
  GETADDRINFOREQWRAP: 'a name in the DNS',
  GETNAMEINFOREQWRAP: 'a name in the DNS',
  QUERYWRAP: 'a name in the DNS',
  FSREQCALLBACK: 'a file',
  FSREQPROMISE: 'a file',
  FSEVENTWRAP: 'a file',
  STATWATCHER: 'a file',
  PROCESSWRAP: 'a process',
  WORKER: 'a thread',
  MESSAGEPORT: 'a thread',
  Timeout: 'a timer of the machine',
  HASHREQUEST: 'a thread (asynchronous cryptography)',
  SIGNREQUEST: 'a thread (asynchronous cryptography)',
  RANDOMBYTESREQUEST: 'a thread (asynchronous cryptography)',
  PBKDF2REQUEST: 'a thread (asynchronous cryptography)',
  SCRYPTREQUEST: 'a thread (asynchronous cryptography)',
  CIPHERREQUEST: 'a thread (asynchronous cryptography)',
  KEYPAIRGENREQUEST: 'a thread (asynchronous cryptography)',
};

interface Watched {
  readonly name: string;
  readonly onFound: (error: Error) => void;
}

const watched = new AsyncLocalStorage<Watched>();
let watchers = 0;

// Promises are most of what happens, and none of them is I/O: Node 24 need not even tell us of them.
const hook = createHook({
  trackPromises: false,
  init(_id: number, type: string) {
    const what = outside[type];
    if (what !== undefined) report(what);
  },
} as Parameters<typeof createHook>[0]);

/** `fetch` opens its socket long after the call; this is heard where it is called. */
function onFetch(message: unknown): void {
  const { request } = message as { readonly request: { readonly method: string; readonly origin: unknown } };
  report(`${request.method} ${request.origin}${(request as { readonly path?: string }).path ?? ''}`);
}

function report(what: string): void {
  const watching = watched.getStore();
  if (watching === undefined) return;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50; // between the machine and the author's line lies much of Node
  const error = new Error(
    `${watching.name} waits for ${what}, and virtual time does not: it goes on meanwhile. Pass in what asks the world, and give the test one that answers in the process; wait by the context's clock`,
  );
  Error.stackTraceLimit = stackTraceLimit;
  watching.onFound(error);
}

/** While it is not disposed, what `run` begins and whatever follows from it is watched. */
export interface RealIoWatch extends Disposable {
  run<T>(begin: () => T): T;
}

export function watchRealIo(name: string, onFound: (error: Error) => void): RealIoWatch {
  watchers += 1;
  if (watchers === 1) {
    hook.enable();
    subscribe('undici:request:create', onFetch);
  }
  let isOver = false;
  const watching: Watched = { name, onFound: (error) => void (isOver || onFound(error)) };
  return {
    run: (begin) => watched.run(watching, begin),
    [Symbol.dispose]() {
      if (isOver) return;
      isOver = true;
      watchers -= 1;
      if (watchers > 0) return;
      hook.disable();
      unsubscribe('undici:request:create', onFetch);
    },
  };
}
