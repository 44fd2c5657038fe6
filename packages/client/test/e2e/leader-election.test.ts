import { describeLeaderElection } from '../suites/leader-election.ts';
import { realServer } from '../suites/real-server.ts';

describeLeaderElection(await realServer({ pods: false }));
