/** A schedule that Kubernetes would not read; the message is the server's own. */
export class CronError extends Error {
  override readonly name = 'CronError';
}
