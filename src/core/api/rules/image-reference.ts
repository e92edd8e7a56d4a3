/** Which tag an image is pulled by: what decides the default pull policy. */
const PATH = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const HOST_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = `(?:${HOST_PART}(?:\\.${HOST_PART})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const NAME = new RegExp(`^(?:${HOST}/)?${PATH}(?:/${PATH})*$`);
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const BARE_DIGEST = /^[a-f0-9]{64}$/;
const MAX_NAME = 255;

/** True where the image is a valid reference to the tag `latest`, said or unsaid. A digest without tag is not. */
export function isLatest(image: string): boolean {
  const at = image.indexOf('@');
  const tagged = at < 0 ? image : image.slice(0, at);
  const colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1);
  if (colon < 0 ? at >= 0 : tagged.slice(colon + 1) !== 'latest') return false;
  if (at >= 0 && !DIGEST.test(image.slice(at + 1))) return false;
  return isRepositoryName(colon < 0 ? tagged : tagged.slice(0, colon), colon < 0 && at < 0);
}

function isRepositoryName(name: string, bare: boolean): boolean {
  if (bare && BARE_DIGEST.test(name)) return false;
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isHost = first !== '' && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const path = isHost ? name.slice(slash + 1) : name;
  if (path === '' || path.length > MAX_NAME || path !== path.toLowerCase()) return false;
  return NAME.test(isHost ? name : `docker.io/${slash < 0 ? 'library/' : ''}${name}`);
}
