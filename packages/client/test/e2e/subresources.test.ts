import { describeBesideObjects } from '../suites/beside-objects.ts';
import { realServer } from '../suites/real-server.ts';

describeBesideObjects(await realServer({ pods: true }));
