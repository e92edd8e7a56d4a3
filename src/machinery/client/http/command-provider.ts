/** `gcp` and `azure`: an access token in the kubeconfig, and a command that prints a newer one as JSON. */
import { compileJsonPath } from '../../../core/api/custom/json-path.ts';
import { parseJson } from '../../../core/kube/json.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { AuthProviderConfig, AuthProviderOptions, ProvidedToken, TokenProvider } from './token-provider.ts';
import { runProgram } from './exec-credentials.ts';

export const createCommandProvider = (config: AuthProviderConfig, options: AuthProviderOptions): TokenProvider => ({
  first: config['access-token'] ? { token: config['access-token'], expires: expiryOf(config) } : undefined,

  async renew(): Promise<ProvidedToken> {
    const command = config['cmd-path'];
    if (!command) throw new Error('the token has expired; use the credential plugin (exec) of your provider instead');
    const args = (config['cmd-args'] ?? '').split(/\s+/).filter((word) => word !== '');
    const answer = parseJson(await runProgram({ command, args }, options.directory, options.env, false));
    const read = (key: string, usual: string): unknown => compileJsonPath(config[key] || usual)(answer)[0];
    const token = read('token-key', '{.access_token}');
    if (typeof token !== 'string' || token === '') throw new Error(`${command} printed no token`);
    return { token, expires: timeOf(read('expiry-key', '{.token_expiry}')) };
  },
});

/** `expiry` is an RFC 3339 time; `expires-on`, Azure's, counts seconds since 1970. */
function expiryOf(config: AuthProviderConfig): number {
  if (config['expiry']) return timeOf(config['expiry']);
  const seconds = Number.parseInt(config['expires-on'] ?? '', 10);
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : seconds * 1000;
}

/** A token without a readable expiry is used until the server refuses it. */
const timeOf = (text: unknown): number =>
  (typeof text === 'string' ? parseTime(text) : undefined) ?? Number.POSITIVE_INFINITY;
