/**
 * Controllers that run inside the process have identities too: each acts as the account Kubernetes gives it, and may do
 * what the role `system:controller:NAME` allows, which is less than everything.
 */
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { ApiServer } from '../api-server.ts';
import { createInProcessClient } from './in-process-client.ts';
import { serviceAccountUser } from '../contract/users.ts';

/** Without a uid: the account need not exist as an object for its controller to be itself. */
function controllerUser(account: string): UserInfo {
  const { groups, name } = serviceAccountUser('kube-system', account, '');
  return { name, groups };
}

/** `account` is the name after `system:controller:`. */
export const createControllerClient = (api: ApiServer, account: string): Client =>
  createInProcessClient(api, { user: controllerUser(account) });
