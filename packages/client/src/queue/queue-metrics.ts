/**
 * What can be measured about a work queue. The names that client-go gives these figures are beside them; the queue's
 * name is a label of all of them.
 *
 * Observers are called synchronously and must not throw.
 */
export interface QueueMetrics {
  /** A key began to wait: `workqueue_adds_total`. */
  added?(): void;
  /** `workqueue_depth{priority}`: keys that wait for a worker now. */
  depth?(priority: number, depth: number): void;
  /** A worker took a key that had waited this long: `workqueue_queue_duration_seconds`. */
  taken?(waitedMs: number): void;
  /** A worker is done with a key: `workqueue_work_duration_seconds`. */
  done?(workedMs: number): void;
  /** A key was added with a delay, after a failure or to look again later: `workqueue_retries_total`. */
  retried?(): void;
}
