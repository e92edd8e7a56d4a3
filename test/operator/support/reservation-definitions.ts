/** The definitions of Orders, Tickets and Quotas, as the chart brings them to a cluster that everynode does not serve. */
import { parse } from 'yaml';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../../src/core/api/types/apiextensions-v1.ts';
import { isConditionTrue } from '../../../src/core/kube/conditions.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { crdFiles } from '../../../tools/generate/deploy-crds.ts';

const RESERVATION_KINDS = ['orders', 'tickets', 'quotas'].map((plural) => `${plural}.core.korder.dev`);

/** Resolves when all are established. */
export async function defineReservations(admin: Client): Promise<void> {
  for (const text of crdFiles(RESERVATION_KINDS).values())
    await admin.create(CUSTOM_RESOURCE_DEFINITIONS, parse(text) as CustomResourceDefinition);
  for (const name of RESERVATION_KINDS)
    while (!isEstablished(await admin.get(CUSTOM_RESOURCE_DEFINITIONS, { name }))) await realClock.sleep(20);
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  isConditionTrue(status?.conditions, 'Established');
