import type { Chapter } from '../walk.ts';

export const clientSideApply: Chapter = {
  key: 'apply',
  title: 'Apply, by the client',
  about: 'kubectl remembers what it applied last in an annotation and sends a patch of three parts.',
  steps: [
    'kubectl diff -f agent.yaml | head -20',
    'kubectl apply -f agent.yaml --dry-run=client',
    'kubectl apply -f agent.yaml --dry-run=server',
    'kubectl get configmaps,daemonsets -l app=agent',
    'kubectl apply -f agent.yaml',
    'kubectl apply -f agent.yaml',
    { run: 'kubectl rollout status daemonset/agent | tail -1' },
    { run: 'kubectl diff -f agent.yaml', say: 'Nothing to do is nothing to see.' },
    { run: 'kubectl diff -f agent-2.yaml', since: 21 },
    { run: "kubectl diff -f agent-2.yaml | grep -E '^[-+] +(image|value|level): '", until: 21 },
    'kubectl apply -f agent-2.yaml',
    { run: 'kubectl get configmap settings -o jsonpath={.data}', say: 'What is no longer in the file is gone.' },
    "kubectl annotate configmap settings mine=kept && kubectl apply -f agent.yaml && kubectl get configmap settings -o jsonpath='{.metadata.annotations.mine} {.data}'",
    'kubectl apply view-last-applied configmap/settings',
    'kubectl apply set-last-applied -f settings-2.yaml && kubectl apply view-last-applied configmap/settings -o json',
    'kubectl apply -f typo.yaml',
    { run: 'kubectl apply -f typo.yaml --validate=warn', since: 25 },
    { run: 'kubectl apply -f typo.yaml --validate=ignore', since: 25 },
    {
      run: "kubectl create configmap unowned --from-literal=a=1 && kubectl get configmap unowned -o yaml | sed 's/a: .*/a: two/' | kubectl apply -f -",
    },
    { run: 'kubectl apply -f settings.yaml --prune -l app=agent --prune-whitelist=core/v1/ConfigMap', until: 26 },
    {
      run: 'kubectl apply -f settings.yaml --prune -l app=agent --prune-allowlist=core/v1/ConfigMap --prune-allowlist=apps/v1/DaemonSet',
      since: 26,
    },
  ],
};

export const serverSideApply: Chapter = {
  key: 'server-side',
  title: 'Apply, by the server',
  about: 'The server keeps who owns which field, and refuses to take one from somebody else unasked.',
  steps: [
    'kubectl apply --server-side -f agent.yaml --dry-run=server',
    'kubectl apply --server-side -f agent.yaml',
    'kubectl apply --server-side -f agent.yaml',
    'kubectl rollout status daemonset/agent | tail -1',
    'kubectl diff --server-side -f agent.yaml',
    'kubectl diff --server-side -f agent-2.yaml | head -20',
    { run: 'kubectl get configmap settings -o yaml', until: 21 },
    { run: 'kubectl get configmap settings -o yaml --show-managed-fields', since: 21 },
    {
      run: 'kubectl apply --server-side --field-manager=other -f settings-2.yaml',
      say: 'Another manager wants another value:',
    },
    'kubectl apply --server-side --field-manager=other --force-conflicts -f settings-2.yaml',
    "kubectl get configmap settings -o jsonpath='{.data}'",
    {
      run: `kubectl get configmap settings -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation} {.fieldsV1}{"\\n"}{end}' --show-managed-fields`,
      since: 21,
    },
    { run: 'kubectl apply --server-side -f settings.yaml', say: 'The first one meets a conflict now, and gives in.' },
    'kubectl apply --server-side -f settings-2.yaml',
    "kubectl get configmap settings -o jsonpath='{.data}'",
    {
      run: 'kubectl delete configmap settings && kubectl apply -f settings.yaml && kubectl apply --server-side -f settings-2.yaml',
      say: 'From the client to the server: what kubectl applied before becomes its own.',
      since: 26,
    },
    { run: "kubectl get configmap settings -o jsonpath='{.data}'", since: 26 },
  ],
};
