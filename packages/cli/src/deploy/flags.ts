/** What `keelson deploy` and `keelson undeploy` are told. */
import type { ClusterFlags, OperatorFlags, OutputFlags } from '../flags.ts';
import type { ImageFlags } from '../image/flags.ts';

export interface DeployFlags extends ImageFlags, ClusterFlags, OutputFlags {
  readonly image?: string;
  readonly build?: boolean;
  readonly namespace?: string;
  readonly forceConflicts?: boolean;
  readonly timeout: number;
}

export interface UndeployFlags extends ClusterFlags, OperatorFlags, OutputFlags {
  readonly definitions?: boolean;
  readonly yes?: boolean;
  readonly timeout: number;
}
