/** The operator as an image: the sources, their dependencies, Node, and nothing that could build or install. */
import { imageEnvironment } from './image-environment.ts';
import type { ScaffoldFile } from './scaffold-file.ts';

export function containerFiles(): readonly ScaffoldFile[] {
  return [
    { path: 'Dockerfile', text: dockerfile },
    { path: '.dockerignore', text: '*\n!package.json\n!package-lock.json\n!src\n**/*.test.ts\n' },
  ];
}

const environment = Object.entries(imageEnvironment)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ');

const dockerfile = `# The dependencies, without those for development. npm stays behind in this stage.
FROM node:24-alpine3.22 AS dependencies
WORKDIR /operator
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

# Node runs the sources as they are: it strips the types, so nothing is compiled.
FROM alpine:3.22
RUN apk add --no-cache libstdc++
COPY --from=dependencies /usr/local/bin/node /usr/local/bin/node
WORKDIR /operator
COPY package.json ./
COPY --from=dependencies /operator/node_modules ./node_modules
COPY src ./src
# Memory: a small heap for what lives shortly, and one heap for all threads of the C library.
ENV ${environment}
# By number, so that a cluster can see that it is not root.
USER 65532:65532
ENTRYPOINT ["node", "src/main.ts"]
`;
