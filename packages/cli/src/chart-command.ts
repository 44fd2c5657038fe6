/** `keelson chart`: a Helm chart for others, in a folder that anything serves, or in a registry of images. */
import { Command } from 'commander';
import type { ChartPackageFlags, ChartPushFlags } from './chart/run.ts';
import type { Shell } from './shell.ts';

const packageHelp = `
The folder gets NAME-VERSION.tgz and index.yaml, which lists it beside what is listed
there already. Any web server can serve the folder. The same chart has the same bytes.

Examples:
  $ keelson generate chart
  $ keelson chart package --to public/charts
  $ helm repo add website https://example.com/charts`;

const pushHelp = `
As "helm push" has it, the name of the chart is added to where it goes, and its
version is the tag. Credentials are those of "docker login".

Examples:
  $ keelson chart push oci://registry.example.com/charts
  $ helm install website-operator oci://registry.example.com/charts/website-operator`;

/** The command with its subcommands; what they run is loaded when it is called. */
export function chartCommand(shell: Shell): Command {
  const chart = new Command('chart').description('Offer the Helm chart that "keelson generate chart" made.');
  chartFlag(chart.command('package'))
    .description('Put the chart into a folder, with an index for "helm repo add".')
    .option('--to <folder>', 'where it goes', 'dist/charts')
    .option('--url <url>', 'where the folder will be served; without it, beside the index')
    .addHelpText('after', packageHelp)
    .action(async (flags: ChartPackageFlags) => {
      const { packageChart } = await import('./chart/run.ts');
      await packageChart(flags, shell);
    });
  chartFlag(chart.command('push'))
    .description('Send the chart to a registry of images, for "helm install oci://…".')
    .argument('<place>', 'such as oci://registry.example.com/charts')
    .option('--plain-http <registry>', 'speak HTTP to this one, not HTTPS; passwords are then sent in the clear')
    .addHelpText('after', pushHelp)
    .action(async (place: string, flags: ChartPushFlags) => {
      const { pushChart } = await import('./chart/run.ts');
      await pushChart(place, flags, shell);
    });
  return chart;
}

const chartFlag = (command: Command): Command =>
  command.option('--chart <folder>', 'the chart; without it, the folder "chart" here', 'chart');
