/** What a kube-apiserver writes down of pods being made: who made which pod for which node, and how it was answered. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';

const POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  verbs: [create]
  resources: [{group: "", resources: [pods]}]
- level: None
`;

export interface MadePod {
  readonly name: string;
  readonly node: string;
  readonly image: string;
}

interface AuditEvent {
  readonly objectRef?: { readonly name?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: Pod;
}

/** Flags for the API server, and a reader of what it wrote. */
export function auditIn(folder: string): { readonly flags: readonly string[]; made(): readonly MadePod[] } {
  const policy = join(folder, 'audit-policy.yaml');
  const log = join(folder, 'audit.log');
  writeFileSync(policy, POLICY);
  return {
    flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    made() {
      if (!existsSync(log)) return [];
      return readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as AuditEvent)
        .filter(({ objectRef, responseStatus }) => responseStatus?.code === 201 && objectRef?.subresource === undefined)
        .flatMap(({ requestObject, objectRef }) =>
          requestObject === undefined ? [] : [madeFrom(requestObject, objectRef)],
        );
    },
  };
}

function madeFrom(pod: Pod, ref: AuditEvent['objectRef']): MadePod {
  const terms =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const node = terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === 'metadata.name');
  return {
    name: ref?.name ?? pod.metadata?.name ?? '',
    node: node?.values?.[0] ?? '',
    image: pod.spec?.containers[0]?.image ?? '',
  };
}
