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

const inThread = 'a thread (asynchronous cryptography)';

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
  HASHREQUEST: inThread,
  SIGNREQUEST: inThread,
  RANDOMBYTESREQUEST: inThread,
  PBKDF2REQUEST: inThread,
  SCRYPTREQUEST: inThread,
  CIPHERREQUEST: inThread,
  KEYPAIRGENREQUEST: inThread,
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
  init(_id: number, type: string, _trigger: number, resource: object) {
    const what = outside[type];
    if (what !== undefined && what !== inThread) report(what);
    const watching = what === inThread ? watched.getStore() : undefined;
    if (watching === undefined) return;
    const error = errorAbout(watching, inThread);
    // Node makes such a request also where it waits for the answer there and then; it calls nobody back then.
    queueMicrotask(() => 'ondone' in resource && watching.onFound(error));
  },
} as Parameters<typeof createHook>[0]);

/** `fetch` opens its socket long after the call; this is heard where it is called. */
function onFetch(message: unknown): void {
  const { request } = message as { readonly request: { readonly method: string; readonly origin: unknown } };
  report(`${request.method} ${request.origin}${(request as { readonly path?: string }).path ?? ''}`);
}

function report(what: string): void {
  const watching = watched.getStore();
  watching?.onFound(errorAbout(watching, what));
}

function errorAbout({ name }: Watched, what: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50; // between the machine and the author's line lies much of Node
  const error = new Error(
    `${name} waits for ${what}, and virtual time does not: it goes on meanwhile. Pass in what asks the world, and give the test one that answers in the process; wait by the context's clock`,
  );
  Error.stackTraceLimit = stackTraceLimit;
  return error;
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
