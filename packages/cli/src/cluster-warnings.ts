/** What a cluster warns of, on standard error; all else it says is for those who embed it. */
import type { ClusterLogger } from '@keelson/cluster';

export const warnings: ClusterLogger = {
  debug() {},
  info() {},
  warn(message, fields = {}) {
    const { error, ...rest } = fields;
    const details = Object.entries(rest).map(([name, value]) => `${name}=${String(value)}`);
    const reason = error instanceof Error ? `: ${error.message}` : '';
    process.stderr.write(`${message}${reason}${details.length > 0 ? ` (${details.join(', ')})` : ''}\n`);
  },
};
