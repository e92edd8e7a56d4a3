import type { Chapter } from '../walk.ts';

export const edit: Chapter = {
  key: 'edit',
  title: 'Edit',
  about: 'An editor that is a script changes what a person would.',
  steps: [
    'kubectl create -f agent.yaml',
    "KUBE_EDITOR='sed -i s/30s/60s/' kubectl edit configmap settings",
    "kubectl get configmap settings -o jsonpath='{.data}'",
    "KUBE_EDITOR='true' kubectl edit configmap settings",
    "KUBE_EDITOR='sed -i s/agent:1.0/agent:1.5/' EDITOR=false kubectl edit daemonset agent",
    "kubectl get daemonset agent -o jsonpath='{.spec.template.spec.containers[0].image} {.metadata.generation}'",
    "KUBE_EDITOR='sed -i s/60s/90s/' kubectl edit -o name -f settings.yaml",
    { run: "KUBE_EDITOR='sed -i s/replicas:.9/x/' kubectl edit daemonset agent --subresource=status", since: 27 },
    {
      run: `KUBE_EDITOR='sed -i "s/app: agent/app: Bad_/"' kubectl edit configmap settings 2>&1 | grep -v tmp`,
      say: 'A change that is refused:',
    },
    {
      run: `KUBE_EDITOR='sed -i "/selector:/,/app/s/app: agent/app: other/"' kubectl edit daemonset agent 2>&1 | grep -v tmp`,
    },
    'kubectl set image daemonset/agent agent=example.test/agent:1.6 && kubectl set env daemonset/agent LEVEL=warn && kubectl set resources daemonset agent --requests=cpu=60m && kubectl set serviceaccount daemonset agent default',
    'kubectl label configmap settings tier=node && kubectl label configmap settings tier=edge; kubectl label configmap settings tier=edge --overwrite && kubectl label configmap settings tier-',
    "kubectl annotate daemonset agent note='hello there' && kubectl annotate daemonset agent note- && kubectl annotate daemonset agent --list",
  ],
};

export const replace: Chapter = {
  key: 'replace',
  title: 'Replace',
  about: 'The whole object, as it is in a file.',
  steps: [
    'kubectl replace -f settings.yaml',
    'kubectl create -f settings.yaml && kubectl replace -f settings-2.yaml',
    "kubectl get configmap settings -o jsonpath='{.data}'",
    "kubectl get configmap settings -o yaml | sed 's/debug/trace/' | kubectl replace -f -",
    {
      run: 'kubectl get configmap settings -o yaml | sed \'s/resourceVersion: .*/resourceVersion: "1"/\' | kubectl replace -f -',
      say: 'Somebody else was quicker:',
    },
    "kubectl get configmap settings -o yaml | sed 's/uid: .*/uid: another/' | kubectl replace -f -",
    'kubectl replace -f settings.yaml --dry-run=server && kubectl get configmap settings -o jsonpath={.data.level}',
    { run: 'kubectl replace --force -f settings.yaml', say: 'Deleted and made anew:' },
    'kubectl apply -f agent.yaml 2>/dev/null && kubectl rollout status daemonset/agent | tail -1',
    {
      run: 'kubectl get daemonset agent -o json | sed \'s/"app": "agent"/"app": "other"/\' | kubectl replace -f -',
      // Whoever counts its pods may be quicker.
      settles: /immutable/,
    },
  ],
};

export const patch: Chapter = {
  key: 'patch',
  title: 'Patch, of each type',
  about: 'Strategic, merge and JSON patches; and what only a subresource takes.',
  steps: [
    'kubectl create -f agent.yaml',
    `kubectl patch daemonset agent -p '{"spec":{"template":{"spec":{"containers":[{"name":"agent","image":"example.test/agent:2.0"},{"name":"sidecar","image":"example.test/sidecar:1"}]}}}}'`,
    'kubectl get daemonset agent -o jsonpath=\'{range .spec.template.spec.containers[*]}{.name} {.image}{"\\n"}{end}\'',
    `kubectl patch daemonset agent --type=strategic -p '{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","$patch":"delete"}]}}}}'`,
    `kubectl patch daemonset agent -p '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"agent"}],"tolerations":null}}}}'`,
    `kubectl patch configmap settings --type=merge -p '{"data":{"level":null,"color":"green"}}'`,
    "kubectl get configmap settings -o jsonpath='{.data}'",
    `kubectl patch daemonset agent --type=json -p '[{"op":"test","path":"/metadata/name","value":"agent"},{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"example.test/agent:3.0"}]'`,
    `kubectl patch daemonset agent --type=json -p '[{"op":"test","path":"/metadata/name","value":"other"}]'`,
    `kubectl patch daemonset agent --type=json -p '[{"op":"remove","path":"/spec/nothing"}]'`,
    `kubectl patch configmap settings -p '{"data":{"color":"green"}}'`,
    `kubectl patch configmap settings -p 'data: {color: red}' --dry-run=server -o jsonpath={.data.color}`,
    `kubectl patch daemonset agent -p '{"spec":{"selector":{"matchLabels":{"app":"other"}}}}'`,
    `kubectl patch daemonset agent -p '{"spec":{"updateStrategy":{"$retainKeys":["type"],"type":"OnDelete"}}}' && kubectl get daemonset agent -o jsonpath='{.spec.updateStrategy}'`,
    {
      run: `kubectl patch node node-4 --subresource=status --type=merge -p '{"status":{"capacity":{"example.test/gpu":"2"}}}' && kubectl get node node-4 -o jsonpath='{.status.capacity.example\\.test/gpu}'`,
      since: 24,
    },
    `kubectl patch configmap missing -p '{}'`,
  ],
};
