import { describeFaults } from './hostile/faults.ts';
import { embeddedServer } from './suites/embedded-server.ts';

describeFaults(embeddedServer, { writes: 80 });
