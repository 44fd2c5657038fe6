/** Who looks after a Job: this controller, unless its spec names another. */
import type { Job } from '@keelson/core/batch/v1';

const own = 'kubernetes.io/job-controller';

export const isManagedElsewhere = ({ spec }: Job): boolean => (spec.managedBy ?? own) !== own;
