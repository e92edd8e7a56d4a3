import type { Chapter } from '../walk.ts';

export const daemonRollout: Chapter = {
  key: 'rollout',
  title: 'Rollout of a DaemonSet',
  about: 'A change goes from node to node, is looked at, and taken back.',
  steps: [
    'kubectl apply -f agent.yaml',
    'kubectl rollout status daemonset/agent | tail -1',
    "kubectl annotate daemonset agent kubernetes.io/change-cause='a better agent' && kubectl set image daemonset/agent agent=example.test/agent:2.0",
    'kubectl rollout status daemonset/agent --timeout=120s | tail -1',
    { run: 'kubectl rollout history daemonset/agent', settles: /better/ },
    'kubectl rollout history daemonset/agent --revision=1',
    'kubectl rollout undo daemonset/agent --dry-run=server | head -1',
    'kubectl rollout undo daemonset/agent',
    'kubectl rollout undo daemonset/agent --to-revision=9',
    'kubectl rollout status ds/agent --timeout=120s | tail -1',
    "kubectl get daemonset agent -o jsonpath='{.spec.template.spec.containers[0].image}'",
    { run: 'kubectl rollout history daemonset/agent | cut -c1-8', settles: /3/ },
    'kubectl rollout restart daemonset/agent && kubectl rollout status daemonset/agent --timeout=120s | tail -1',
    {
      run: 'kubectl get controllerrevisions -l app=agent --sort-by=.revision -o custom-columns=OWNER:.metadata.ownerReferences[0].name,REVISION:.revision',
      settles: /4/,
    },
    'kubectl rollout pause daemonset/agent',
  ],
};

export const deploymentRollout: Chapter = {
  key: 'deployment',
  title: 'Rollout of a Deployment',
  about: 'The same for a Deployment, which can also pause.',
  steps: [
    'kubectl apply -f web.yaml',
    'kubectl rollout status deployment/web --timeout=120s | tail -1',
    { run: 'kubectl get deployment,replicaset -l app=web -o wide', settles: /3\/3 +3 +3/ },
    'kubectl rollout pause deployment/web && kubectl rollout pause deployment/web',
    'kubectl set image deployment/web web=example.test/web:2 && kubectl set env deployment/web MODE=fast',
    { run: 'kubectl get deployment web', settles: /web +3\/3 +0 / },
    'kubectl rollout undo deployment/web',
    'kubectl rollout resume deployment/web && kubectl rollout status deployment/web --timeout=120s | tail -1',
    'kubectl rollout history deployment/web',
    'kubectl rollout history deployment/web --revision=2',
    'kubectl rollout undo deployment/web && kubectl rollout status deployment/web --timeout=120s | tail -1',
    'kubectl rollout restart deployment/web && kubectl rollout status deployment/web --timeout=120s | tail -1',
    {
      run: "kubectl get replicasets -l app=web --sort-by='{.metadata.annotations.deployment\\.kubernetes\\.io/revision}' -o jsonpath='{range .items[*]}{.metadata.annotations.deployment\\.kubernetes\\.io/revision} {.spec.replicas} {.spec.template.spec.containers[0].image}{\"\\n\"}{end}'",
    },
    {
      run: 'kubectl get endpoints web 2>/dev/null | tail -1 | cut -c1-3; kubectl get endpointslices -l kubernetes.io/service-name=web --no-headers | wc -l',
    },
  ],
};

export const scaling: Chapter = {
  key: 'scale',
  title: 'Scale',
  about: 'How many there are to be, with and without a condition.',
  steps: [
    'kubectl apply -f web.yaml && kubectl rollout status deployment/web --timeout=120s | tail -1',
    'kubectl scale deployment web --replicas=5',
    { run: 'kubectl get deployment web', settles: /web +5\/5 +5 +5/ },
    'kubectl scale deployment web --current-replicas=3 --replicas=1',
    'kubectl scale deployment web --current-replicas=5 --replicas=1',
    { run: 'kubectl get deployment web', settles: /web +1\/1 +1 +1/ },
    'kubectl scale --replicas=2 -f web.yaml',
    'kubectl scale deployment --all --replicas=0 && kubectl get deployment web -o jsonpath={.spec.replicas}',
    'kubectl scale deployment missing --replicas=1',
    'kubectl apply -f agent.yaml >/dev/null; kubectl scale daemonset agent --replicas=1',
    { run: 'kubectl autoscale deployment web --min=1 --max=4 --cpu-percent=80 && kubectl get hpa web', until: 34 },
    { run: 'kubectl autoscale deployment web --min=1 --max=4 --cpu=80% && kubectl get hpa web', since: 34 },
    'kubectl expose deployment web --port=80 --target-port=8080 --name=web-2 && kubectl get service web-2',
  ],
};
