/** A conversion webhook on this machine, for a real API server: answers with what the kinds themselves convert. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Conversion, JsonObject } from '@keelson/core';
import type { WebhookClientConfig } from '@keelson/core/apiextensions/v1';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';

export interface ConversionWebhook extends AsyncDisposable {
  /** What a CRD says of it. */
  readonly clientConfig: WebhookClientConfig;
  /** What conversions left out. */
  readonly warnings: readonly string[];
}

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: JsonObject[] };
}

export async function serveConversions(conversion: Conversion): Promise<ConversionWebhook> {
  const authority = createAuthority(systemRandom);
  const { certificate: cert, key } = authority.issueServer('conversions', ['127.0.0.1']);
  const warnings: string[] = [];
  const answer = ({ uid, desiredAPIVersion, objects }: Review['request']) => {
    try {
      const converted = objects.map((each) =>
        conversion.convert(each, desiredAPIVersion, (warning) => warnings.push(warning)),
      );
      return { uid, result: { status: 'Success' }, convertedObjects: converted };
    } catch (error) {
      return { uid, result: { status: 'Failure', message: String(error) } };
    }
  };
  const server = createServer({ cert, key }, (request, response) => {
    const answering = text(request).then((body) => {
      const review = JSON.parse(body) as Review;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...review, request: undefined, response: answer(review.request) }));
    });
    answering.catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    clientConfig: {
      url: `https://127.0.0.1:${port}/convert`,
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
    warnings,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
