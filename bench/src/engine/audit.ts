/** What the API server's own record says of an operator: how much it asked, and how soon it acted. Pure. */
import type { AuditEntry } from '@keelson/tools-kubernetes';

/** Only what is counted: the requests of the operators (by group), and the creates of what they look after. */
export const operatorsGroup = 'bench:operators';

export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    resources:
      - group: ''
        resources: [events]
      - group: events.k8s.io
        resources: [events]
      - group: coordination.k8s.io
        resources: [leases]
  - level: Metadata
    userGroups: [${operatorsGroup}]
  - level: Metadata
    verbs: [create]
    resources:
      - group: bench.example.com
        resources: [caches]
  - level: None
`;

const reading = ['get', 'list', 'watch'];
const writing = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Requests for objects; what the server offers (discovery) is left out. A watch counts when it begins. */
export function requestsIn(entries: readonly AuditEntry[]): { readonly reads: number; readonly writes: number } {
  const asked = entries.filter(({ verb, stage, objectRef }) => {
    const answered = verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete';
    return objectRef !== undefined && stage === answered;
  });
  const count = (verbs: readonly string[]) => asked.filter(({ verb }) => verbs.includes(verb)).length;
  return { reads: count(reading), writes: count(writing) };
}

/** From the answer to each create to the first write of the operator for an object of that name, in milliseconds. */
export function reactionsMs(creates: readonly AuditEntry[], operator: readonly AuditEntry[]): readonly number[] {
  const firstWrites = new Map<string, number>();
  for (const { verb, objectRef, requestReceivedTimestamp } of operator) {
    if (!writing.includes(verb) || objectRef?.name === undefined) continue;
    const at = microseconds(requestReceivedTimestamp);
    firstWrites.set(objectRef.name, Math.min(at, firstWrites.get(objectRef.name) ?? at));
  }
  return creates.map(({ objectRef, stageTimestamp }) => {
    const written = firstWrites.get(objectRef?.name ?? '');
    return written === undefined ? Number.NaN : (written - microseconds(stageTimestamp)) / 1000;
  });
}

/** A date of JavaScript has milliseconds only: `2026-11-17T13:00:00.123456Z`. */
function microseconds(timestamp: string): number {
  const [, micros = ''] = /\.\d{3}(\d{3})Z$/.exec(timestamp) ?? [];
  return Date.parse(timestamp) * 1000 + Number(micros);
}
