/** What the operator has written, by the server's own record. */
import { readFile } from 'node:fs/promises';
import type { Kubernetes } from '@keelson/tools-kubernetes';
import { operatorUser } from './installation.ts';

interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
}

/** The operator's writes in a namespace since that moment, the refused ones included, as `verb path`. */
export async function operatorWrites(
  { auditLog = '' }: Kubernetes,
  namespace: string,
  sinceMs = 0,
): Promise<readonly string[]> {
  return (await readFile(auditLog, 'utf8'))
    .split('\n')
    .filter((line) => line.includes(operatorUser) && line.includes(`/namespaces/${namespace}/`))
    .map((line) => JSON.parse(line) as AuditEntry)
    .filter(({ verb, user, requestURI, requestReceivedTimestamp }) => {
      const isOurs = user.username === operatorUser && requestURI.includes(`/namespaces/${namespace}/`);
      return isOurs && !['get', 'list', 'watch'].includes(verb) && Date.parse(requestReceivedTimestamp) > sinceMs;
    })
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}
