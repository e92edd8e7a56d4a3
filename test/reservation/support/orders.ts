/** Orders for tests, and the two that users are shown first. */
import type { Order, OrderSpec, TicketSpec, TicketTemplate } from '../../../src/core/api/types/korder-v1alpha1.ts';
import { namespace } from './world.ts';

export const REQUESTS: TicketSpec = { resources: { requests: { cpu: '500m', memory: '256Mi' } } };

export function order(spec: Partial<OrderSpec> = {}, name = 'rooms', annotations?: { [key: string]: string }): Order {
  return {
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Order',
    metadata: { name, namespace, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      daemonSet: true,
      strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
      template: { spec: { duration: '24h', ...REQUESTS } },
      ...spec,
    },
  };
}

export const template = (spec: Partial<TicketSpec>, metadata?: TicketTemplate['metadata']): TicketTemplate => ({
  ...(metadata === undefined ? {} : { metadata }),
  spec: { duration: '24h', ...REQUESTS, ...spec },
});

export const BASIC = `
apiVersion: core.korder.dev/v1alpha1
kind: Order
metadata:
  name: infrastructure-reservation
spec:
  # Enable DaemonSet mode
  daemonSet: true
  
  strategy:
    type: OneTime
    refreshPolicy: OnClaim
  
  template:
    spec:
      duration: 24h
      resources:
        requests:
          cpu: 100m
          memory: 200Mi
        limits:
          cpu: 200m
          memory: 400Mi
      
      # Target all Linux nodes
      nodeSelector:
        kubernetes.io/os: linux
      
      # Tolerate common taints
      tolerations:
        - operator: Exists
          effect: NoSchedule
`;

export const ADVANCED = `
apiVersion: core.korder.dev/v1alpha1
kind: Order
metadata:
  name: gpu-node-buffer
spec:
  daemonSet: true
  
  strategy:
    type: Recurring
    schedule: "0 */6 * * *"  # Refresh every 6 hours
    refreshPolicy: Always
  
  template:
    spec:
      duration: 8h
      resources:
        requests:
          cpu: 500m
          memory: 1Gi
        limits:
          cpu: 1000m
          memory: 2Gi
      
      # Only GPU nodes
      nodeSelector:
        accelerator: nvidia-tesla-k80
        kubernetes.io/os: linux
      
      # Tolerate GPU-specific taints
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
          effect: NoSchedule
        - key: dedicated
          operator: Equal
          value: gpu
          effect: NoSchedule
`;
