/** What the operator has written, by the server's own record. */
import { auditEntries, type Kubernetes } from '@keelson/tools-kubernetes';
import { operatorUser } from './installation.ts';

/** The operator's writes in a namespace since that moment, the refused ones included, as `verb path`. */
export async function operatorWrites(kube: Kubernetes, namespace: string, sinceMs = 0): Promise<readonly string[]> {
  return (await auditEntries(kube, operatorUser))
    .filter(({ verb, requestURI, requestReceivedTimestamp }) => {
      const isThere = requestURI.includes(`/namespaces/${namespace}/`);
      return isThere && !['get', 'list', 'watch'].includes(verb) && Date.parse(requestReceivedTimestamp) > sinceMs;
    })
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}
