/** The two Orders of the published description of daemonSet mode, letter by letter. */
import { parse } from 'yaml';
import type { Order } from '../../../types/korder-v1alpha1.ts';

const TEXTS = {
  'infrastructure-reservation': `apiVersion: core.korder.dev/v1alpha1
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
`,
  'gpu-node-buffer': `apiVersion: core.korder.dev/v1alpha1
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
`,
};

export type Published = keyof typeof TEXTS;

export const PUBLISHED = Object.keys(TEXTS) as readonly Published[];

export const published = (name: Published): Order => parse(TEXTS[name]) as Order;
