/**
 * What a case is: a sentence that holds on every Kubernetes API server, and the requests that prove it.
 */
import type { Trial } from './trial.ts';

/**
 * controllers: kube-controller-manager or its likes run. compaction: the runner can make the server forget its history.
 * owner permissions: the admission plugin OwnerReferencesPermissionEnforcement is on, as it is in OpenShift and in
 * `tools/kubernetes`.
 */
export type Need = 'controllers' | 'compaction' | 'owner permissions';

export type Proof = (trial: Trial) => Promise<void>;

export interface Area {
  readonly name: string;
  /** Ids of the rows of CHECKLIST.md that the cases of this area prove. */
  readonly proves: readonly string[];
  /** Sentence → proof. A case that needs more than an API server says so. */
  readonly cases: Readonly<Record<string, Proof | { readonly needs: Need; readonly proof: Proof }>>;
}

export interface Case {
  readonly area: string;
  readonly sentence: string;
  /** `area: sentence`, which `--only` looks into. */
  readonly name: string;
  readonly needs: Need | undefined;
  readonly proof: Proof;
}

export function casesOf(areas: readonly Area[]): Case[] {
  return areas.flatMap(({ name: area, cases }) =>
    Object.entries(cases).map(([sentence, entry]) => {
      const { needs, proof } = typeof entry === 'function' ? { needs: undefined, proof: entry } : entry;
      return { area, sentence, name: `${area}: ${sentence}`, needs, proof };
    }),
  );
}
