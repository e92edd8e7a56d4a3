/** The answers of an API server that a reflector treats apart. */
import { StatusError } from '../../../core/kube/status-error.ts';

export const isRefusal = (error: unknown): error is StatusError =>
  error instanceof StatusError && (error.code === 401 || error.code === 403);

export const isExpired = (error: unknown): boolean => error instanceof StatusError && error.code === 410;

/** The server is behind the version that was asked for, and did not catch up in time. */
export const isTooNew = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false);

/** Servers that cannot stream a list refuse the option as invalid. */
export const isUnsupportedStream = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 400 || error.code === 403 || error.code === 422);
