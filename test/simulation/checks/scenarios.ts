import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readScenario } from '../../../src/foresight/simulation/scenario/read-scenario.ts';
import type { Scenario } from '../../../src/foresight/simulation/scenario/scenario.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'examples', 'scenarios');

export const SCENARIO_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => basename(file, '.yaml'));

export function scenarioNamed(name: string): Scenario {
  return scenarioFrom(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'));
}

export function scenarioFrom(text: string): Scenario {
  const { scenario, problems } = readScenario(text, 'test');
  if (scenario === undefined) throw new Error(problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return scenario;
}

/** Four small nodes and one daemon; steps as YAML. */
export const smallScenario = (steps: string): Scenario =>
  scenarioFrom(`
nodes:
  - { name: worker, count: 4, capacity: { cpu: '1', memory: 1Gi, pods: '10' } }
objects:
  - apiVersion: apps/v1
    kind: DaemonSet
    metadata: { name: agent, namespace: default }
    spec:
      selector: { matchLabels: { app: agent } }
      template:
        metadata: { labels: { app: agent }, annotations: { everynode.dev/stop-delay: 2s } }
        spec:
          containers: [{ name: main, image: 'example.com/agent:1', resources: { requests: { cpu: 100m } } }]
steps:
${steps}
`);
