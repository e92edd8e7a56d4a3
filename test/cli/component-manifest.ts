/** Manifests that the command line is given, and runs of it that never show a secret. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { folder, type Outcome, run } from './run-cli.ts';

const SECRETS = ['hunter2-before', 'hunter2-after'];

export interface Parts {
  readonly name?: string;
  readonly namespace: string;
  readonly image?: string;
  readonly configMaps?: readonly string[];
}

export const manifest = ({
  name = 'agent',
  namespace,
  image = 'example.com/agent:1.0',
  configMaps = ['one'],
}: Parts): string => `
apiVersion: kubernetes.planton.dev/v1
kind: KubernetesDaemonSet
metadata:
  name: ${name}
spec:
  namespace: ${namespace}
  createNamespace: true
  configMaps:
${configMaps.map((each) => `    ${each}: { a.conf: "text of ${each}" }`).join('\n')}
  container:
    app:
      image: ${image}
      env:
        secrets:
          TOKEN: env:AGENT_TOKEN
      resources:
        requests: { cpu: 10m, memory: 16Mi }
        limits: { memory: 32Mi }
`;

/** A folder with the manifest in it. */
export function given(parts: Parts, file = 'agent.yaml'): string {
  const home = folder();
  writeFileSync(join(home, file), manifest(parts));
  return home;
}

const isSecretIn = (text: string): boolean =>
  SECRETS.some((secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString('base64')));

/** Commands that look secrets up are allowed the manifest's variable. */
const tokenFlags = ([command = '']: readonly string[]): readonly string[] =>
  ['apply', 'diff'].includes(command) ? ['--allow-env', 'AGENT_TOKEN'] : [];

/** Whatever is asked, no secret is in the answer. */
export async function everynode(
  home: string,
  args: readonly string[],
  kubeconfig = '',
  token = 'hunter2-before',
): Promise<Outcome> {
  const outcome = await run([...args, ...tokenFlags(args)], {
    home,
    env: { KUBECONFIG: kubeconfig, AGENT_TOKEN: token },
  });
  expect(isSecretIn(outcome.stdout + outcome.stderr)).toBe(false);
  return outcome;
}
