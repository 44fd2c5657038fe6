/**
 * A certificate in files that somebody else renews, such as cert-manager through a mounted Secret.
 *
 * Promises: a new pair is used soon after it is there; one that cannot be used is reported once, and the one before goes
 * on being served until there is a better one.
 */
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface RenewalOptions {
  /** What is reported; it names the server. */
  readonly onError: (error: Error) => void;
  /** How often the files are looked at. @default 10_000 */
  readonly everyMs?: number;
}

export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<CertificatePair> {
  return { cert: await readFile(certFile), key: await readFile(keyFile) };
}

/** Hands a new pair to `use`, which throws if the two do not fit together; disposing the result ends that. */
export function renewCertificate(
  what: string,
  files: CertificateFiles,
  use: (pair: CertificatePair) => void,
  { onError, everyMs = 10_000 }: RenewalOptions,
): Disposable {
  let isReported = false;
  // Who replaces the files one after the other is seen between the two: the second one brings us here again.
  const renew = () =>
    void readCertificate(files)
      .then((pair) => {
        use(pair);
        isReported = false;
      })
      .catch((error: Error) => {
        if (isReported) return;
        isReported = true;
        const why = `The new certificate of the ${what} server cannot be used: ${error.message}.`;
        onError(new Error(`${why} The one before is served until that is mended.`, { cause: error }));
      });
  for (const file of [files.certFile, files.keyFile]) {
    watchFile(file, { interval: everyMs, persistent: false }, renew);
  }
  return {
    [Symbol.dispose]() {
      for (const file of [files.certFile, files.keyFile]) unwatchFile(file, renew);
    },
  };
}
