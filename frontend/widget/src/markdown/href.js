/**
 * The address a link may have, or null when it may only be text: https to a known host, or mail to its domain.
 * @param {string} raw
 * @param {ReadonlySet<string>} hosts cited or allow-listed, lower case
 * @returns {string | null}
 */
export function safeHref(raw, hosts) {
  let url;
  try {
    url = new URL(raw);
  } catch {
    return null;
  }
  if (url.protocol === "https:") return !url.username && !url.password && hosts.has(url.host) ? url.href : null;
  if (url.protocol !== "mailto:") return null;
  // Only the address: a subject, body or second recipient could carry words the visitor did not write.
  const address = /^[\w.+-]{1,64}@([a-z\d-]+(?:\.[a-z\d-]+)+)$/i.exec(url.pathname);
  const domain = address?.[1]?.toLowerCase();
  if (!domain || ![...hosts].some((host) => host === domain || host.endsWith(`.${domain}`))) return null;
  return `mailto:${url.pathname}`;
}

/** @param {string[]} urls @returns {string[]} the hosts of those that are https */
export function hostsOf(urls) {
  return urls.flatMap((raw) => {
    try {
      const url = new URL(raw);
      return url.protocol === "https:" ? [url.host] : [];
    } catch {
      return [];
    }
  });
}
