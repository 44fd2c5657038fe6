/** The suites that judge the client on a real Kubernetes (test/e2e), on the embedded cluster. */
import { describeProperties } from './properties/properties.ts';
import { describeBesideObjects } from './suites/beside-objects.ts';
import { describeClient } from './suites/client.ts';
import { embeddedServer } from './suites/embedded-server.ts';
import { describeInformers } from './suites/informers.ts';
import { describeOwnWrites } from './suites/own-writes.ts';

describeClient(embeddedServer);
describeBesideObjects(embeddedServer);
describeInformers(embeddedServer);
describeOwnWrites(embeddedServer);
describeProperties(embeddedServer);
