/** The embedded cluster, told the story of Jobs and CronJobs in virtual time, ends where real Kubernetes did when it was recorded. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Server } from './behaviour.ts';
import { recording, tell } from './chapters.ts';
import { cronJobChapters } from './cron-job-chapters.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { jobChapters } from './job-chapters.ts';

describe('Jobs and CronJobs on the embedded cluster, as on Kubernetes', () => {
  let server: Server;

  before(async () => {
    server = await startEmbeddedServer();
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  for (const [name, chapter] of Object.entries({ ...jobChapters, ...cronJobChapters })) {
    test(name, async () => {
      assert.deepEqual(await tell(server, name, chapter), recording('jobs')[name]);
    });
  }
});
