/** Real processes that compete on the embedded cluster; apart from the other suites, since it mostly waits. */
import { embeddedServer } from './suites/embedded-server.ts';
import { describeLeaderElection } from './suites/leader-election.ts';

describeLeaderElection(embeddedServer);
