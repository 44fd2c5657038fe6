import { describeFaults } from '../hostile/faults.ts';
import { realServer } from '../suites/real-server.ts';

describeFaults(await realServer({ pods: false }), { writes: 300 });
