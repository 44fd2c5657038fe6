/** What `keelson doctor` found out. */
export interface Finding {
  readonly check: 'node' | 'operator' | 'cluster' | 'version' | 'certificate' | 'definition' | 'rights';
  readonly status: 'ok' | 'warning' | 'failed';
  readonly text: string;
  /** What to do. */
  readonly next?: string | undefined;
}
