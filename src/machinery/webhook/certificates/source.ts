/** Where a webhook server has its certificate from: an actor that hands on each new one. */
import type { KeyPair } from '../../certificates/certificates.ts';

/** Takes a pair into use. Throws when it cannot be used; the one before then stays. */
export type UseCertificate = (pair: KeyPair) => void;
