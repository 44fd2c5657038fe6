/** Asks for a short-lived token of a service account, and acts with it: what may it do? */
import { connect, createClient, loadConfig, requestToken } from '@keelson/client';
import { isForbidden } from '@keelson/core';
import { SelfSubjectReview } from '@keelson/core/authentication/v1';
import { ConfigMap } from '@keelson/core/v1';

const config = await loadConfig();
await using transport = connect(config);
const client = createClient({ transport });

const { token } = await requestToken(client, 'default/default', { expirationSeconds: 600 }); // a Secret: prints as ***
const tls = { ...config.tls, clientCertificate: undefined }; // the same server, and none of our own credentials
await using narrow = connect({ ...config, tls, credentials: { type: 'token', token } });
const servant = createClient({ transport: narrow });

const { status } = await servant.create(SelfSubjectReview, {});
console.log(status?.userInfo?.username);
try {
  await servant.list(ConfigMap, { namespace: 'default' });
} catch (error) {
  if (!isForbidden(error)) throw error;
  console.log(error.message);
}
