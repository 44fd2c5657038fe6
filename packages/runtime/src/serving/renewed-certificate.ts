/**
 * A certificate in files that somebody else renews, such as cert-manager through a mounted Secret.
 *
 * Promises: a new pair is used within ten seconds; one that cannot be read or used is tried again, soon at first and
 * then with every look. It is reported once, if the first look again finds no better: who replaces the two files one
 * after the other may be seen in between. The pair before is served until there is one that can be used.
 */
import { readFile } from 'node:fs/promises';
import { type Clock, sleep } from '@keelson/core';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface RenewalOptions {
  /** The server, as errors name it. */
  readonly what: string;
  /** The pair in use. */
  readonly current: CertificatePair;
  readonly read: () => Promise<CertificatePair>;
  /** Throws if the two do not fit together. */
  readonly use: (pair: CertificatePair) => void;
  readonly onError: (error: Error) => void;
  readonly clock: Clock;
}

export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<CertificatePair> {
  return { cert: await readFile(certFile), key: await readFile(keyFile) };
}

const lookMs = 10_000;
const firstRetryMs = 1000;

/** Looks for a new pair until it is disposed. */
export function renewCertificate({ what, current, read, use, onError, clock }: RenewalOptions): Disposable {
  const stop = new AbortController();
  const keepLooking = async () => {
    let used = current;
    for (let failures = 0; ; ) {
      const waitMs = failures === 0 ? lookMs : Math.min(lookMs, firstRetryMs * 2 ** (failures - 1));
      await sleep(clock, waitMs, stop.signal);
      try {
        const pair = await read();
        if (stop.signal.aborted) return;
        if (!pair.cert.equals(used.cert) || !pair.key.equals(used.key)) use(pair);
        used = pair;
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 2) onError(unusable(what, error as Error));
      }
    }
  };
  keepLooking().catch(() => {}); // its end is that of the wait, when it is disposed
  return { [Symbol.dispose]: () => stop.abort() };
}

function unusable(what: string, error: Error): Error {
  const why = `The new certificate of the ${what} server cannot be used: ${error.message}.`;
  return new Error(`${why} The one before is served until that is mended.`, { cause: error });
}
