/**
 * A new project, whole: what `keelson init` writes.
 *
 * It is thin: everything that does something is in the packages, so that an upgrade is `npm update`. Sources are not
 * compiled: Node 24 strips the types, in the container too.
 */
import { containerFiles } from './container-files.ts';
import { deploymentControllerFiles } from './controller-files.ts';
import { kindFiles, samplePath } from './kind-files.ts';
import { type KindNames, operatorIdentifier } from './names.ts';
import { operatorFile } from './operator-file.ts';
import type { ScaffoldFile } from './scaffold-file.ts';
import { toolVersions } from './tool-versions.ts';

/** What a project is made of. */
export interface ProjectOptions {
  /** Of the package, the operator and the image. */
  readonly name: string;
  /** What further groups end with. */
  readonly domain: string;
  /** The first kind. */
  readonly kind: KindNames;
  /** The image in its sample. */
  readonly image: string;
  /** The version of the packages of Keelson. */
  readonly keelson: string;
}

/** The files, in the order in which one would read them. */
export function projectFiles(options: ProjectOptions): readonly ScaffoldFile[] {
  const { name, kind, image } = options;
  return [
    { path: 'package.json', text: manifest(options) },
    { path: 'tsconfig.json', text: compilerOptions },
    { path: 'README.md', text: readme(options) },
    { path: '.gitignore', text: 'node_modules/\n*.log\nkubeconfig\ndist/image/\ndist/image.tar\n' },
    { path: '.github/workflows/ci.yml', text: workflow },
    ...containerFiles(),
    operatorFile(name, kind.kind),
    { path: 'src/main.ts', text: main(name) },
    ...kindFiles(kind, image),
    ...deploymentControllerFiles(kind.kind, operatorIdentifier(name)),
  ];
}

function manifest({ name, domain, keelson }: ProjectOptions): string {
  const range = `^${keelson}`;
  const content = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    keelson: { operator: './src/operator.ts', domain },
    scripts: {
      dev: 'keelson dev',
      pretest: 'keelson generate',
      test: 'node --test "src/**/*.test.ts"',
      check: 'tsc',
      generate: 'keelson generate',
      'install-crds': 'keelson install',
      run: 'keelson run',
      deploy: 'keelson deploy --build',
      undeploy: 'keelson undeploy',
    },
    dependencies: {
      '@keelson/core': range,
      '@keelson/runtime': range,
      '@keelson/schema': range,
      zod: toolVersions.zod,
    },
    devDependencies: {
      '@keelson/cli': range,
      '@keelson/testing': range,
      '@types/node': toolVersions.nodeTypes,
      typescript: toolVersions.typescript,
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const compilerOptions = `{
  "compilerOptions": {
    "noEmit": true,
    "target": "es2024",
    "lib": ["es2024", "esnext.disposable"],
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "exactOptionalPropertyTypes": true,
    "verbatimModuleSyntax": true,
    "erasableSyntaxOnly": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true
  },
  "include": ["src"]
}
`;

function main(name: string): string {
  const operator = operatorIdentifier(name);
  return `/** The operator as a process: arguments, environment, signals and exit code are \`run\`'s. */
import { run } from '@keelson/runtime';
import { ${operator} } from './operator.ts';

await run(${operator});
`;
}

const workflow = `name: CI

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run check
      # The files below config follow from the operator. Before the tests, which begin by generating them.
      - run: npm run generate -- --check
      - run: npm test
`;

function readme({ name, kind }: ProjectOptions): string {
  return `# ${name}

A Kubernetes operator on Keelson. It needs Node 24.

\`\`\`sh
npm install
npm test                  # generates, then tries the controllers on a cluster in the process, in virtual time
npm run check             # the types
npm run dev               # a cluster on this machine with the operator in it; says which KUBECONFIG to use
kubectl apply -f ${samplePath(kind)}
\`\`\`

The \`@keelson\` packages are not published yet: until they are, \`npm run registry\` in a clone of Keelson serves them, and says what to tell npm.

\`npm run generate\` writes what a cluster needs below \`config\` and into \`dist/install.yaml\`; \`npm test\` begins with it. Commit the files: CI fails when they are missing or older than the sources. On a cluster of your own:

\`\`\`sh
npm run install-crds      # its definitions, into the cluster of your kubeconfig
npm run run               # the operator, on this machine
npm run deploy -- --image registry.example.com/${name}:dev  # the operator in pods: builds an image, pushes it, waits
npm run undeploy          # takes that off again; definitions and objects stay
\`\`\`

A cluster that is not on this machine has to be named: \`npm run deploy -- --context NAME …\`, and so with the others. The image is built without Docker; the Dockerfile makes one with it.

\`npx keelson create api --group cache --kind Memcached\` adds a kind with a controller and its test, and one entry to the list in \`src/operator.ts\`.

| | |
|---|---|
| \`src/api\` | the kinds: types, CRD, defaults and validation follow from them |
| \`src/controllers\` | what is done for each object of a kind, and its test |
| \`src/operator.ts\` | the operator as a value |
| \`src/main.ts\` | the operator as a process |
| \`config/samples\` | objects to try; they are yours to edit |
`;
}
