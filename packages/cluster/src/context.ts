/** What every controller is given, and what it gives back. */
import type { Client, Discovery, EventRecorder, SharedInformers } from '@keelson/client';
import type { Clock, Random } from '@keelson/core';
import type { ClusterLogger } from './logger.ts';

export interface ControllerContext {
  /** A client whose requests end with the signal, and whose writes the informers show at once. */
  readonly client: Client;
  readonly informers: SharedInformers;
  readonly discovery: Discovery;
  /** Makes the recorder of one component, such as `deployment-controller`; whoever runs the controllers closes it. */
  readonly recorder: (component: string) => EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: ClusterLogger;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

export interface RunningController {
  /** Settles when it has seen what there is and works; never, if it is stopped before. */
  readonly synced: Promise<void>;
  /** Settles when the context's signal was aborted and the last piece of work has ended. Never rejects. */
  readonly stopped: Promise<void>;
}
