import { describeRecovery } from '../hostile/recovery.ts';
import { realServer } from '../suites/real-server.ts';

describeRecovery(await realServer({ pods: false }), { forMs: 3000 });
