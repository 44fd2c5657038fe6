/** Everything in one file, for `kubectl apply --server-side -f`: what config/default installs while nobody has edited it. */
import { documentsIn, type GeneratedFile, yamlTextFile } from './generated-file.ts';
import type { Installation } from './installation.ts';
import { inNamespace } from './settings-file.ts';

/** The namespace and the definitions first, since others need them. ServiceMonitors are left to those who have the kind. */
export function installFile(files: readonly GeneratedFile[], installation: Installation): GeneratedFile {
  const isFirst = ({ path }: GeneratedFile) => /\/namespace\.yaml$|^config\/crd\//.test(path);
  const objects = files.filter(({ path }) => !path.startsWith('config/prometheus/'));
  const ordered = [...objects.filter(isFirst), ...objects.filter((file) => !isFirst(file))];
  return yamlTextFile(
    'dist/install.yaml',
    ordered.map((file) => documentsIn(inNamespace(file, installation))),
  );
}
