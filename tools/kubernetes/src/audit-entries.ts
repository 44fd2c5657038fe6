/** What one user asked of a cluster, by the API server's own record. */
import { readFile } from 'node:fs/promises';
import type { Kubernetes } from './start-kubernetes.ts';

/** One request, when its answer was complete or, of a watch, had begun. */
export interface AuditEntry {
  readonly stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  /** When this stage was reached: of an answer that is complete, its end. */
  readonly stageTimestamp: string;
  readonly user: { readonly username: string };
  /** What the program calls itself. */
  readonly userAgent?: string;
  /** Absent where no resource is asked for, such as for `/version`. */
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
  /** `authorization.k8s.io/decision` and `authorization.k8s.io/reason` say whether it was allowed, and by what. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The requests of this user so far, the refused ones included; the cluster was started with `auditLog: true`. */
export async function auditEntries(
  { auditLog = '' }: Pick<Kubernetes, 'auditLog'>,
  username: string,
): Promise<readonly AuditEntry[]> {
  const text = await readFile(auditLog, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1) // the last line may be half written
    .split('\n')
    .filter((line) => line.includes(username))
    .map((line) => JSON.parse(line) as AuditEntry)
    .filter(({ user }) => user.username === username);
}
