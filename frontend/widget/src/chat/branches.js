/** @import {Entry, Session} from "../types" */

/** @param {Session} session @param {string} turnId @returns {number} where the turn's question is; -1 when it is on no open branch */
export function placeOf({ entries }, turnId) {
  return entries.findIndex((entry) => entry.kind === "visitor" && entry.turnId === turnId);
}

/**
 * Starts another version of the conversation from the question at `place` on. What stood there is kept.
 * @param {Session} session
 * @param {number} place
 * @returns {string} the fork, for the question that follows
 */
export function branchAt(session, place) {
  const { id, fork } = keep(session, place);
  fork.current = fork.versions.push([]) - 1;
  session.entries.length = place;
  return id;
}

/** @param {Session} session @param {number} place @param {number} version shows another version from `place` on */
export function switchTo(session, place, version) {
  const { fork } = keep(session, place);
  if (!fork.versions[version]) return;
  fork.current = version;
  session.entries.splice(place, Infinity, ...fork.versions[version]);
}

/** @param {Session} session @param {Entry} entry @returns {{ n: number, total: number } | null} null where there is one version only */
export function versionOf({ forks }, entry) {
  const fork = entry.kind === "visitor" && entry.fork ? forks[entry.fork] : null;
  return fork && fork.versions.length > 1 ? { n: fork.current, total: fork.versions.length } : null;
}

/** @param {Session} session @param {number} place */
function keep({ entries, forks }, place) {
  const entry = /** @type {Entry & { kind: "visitor" }} */ (entries[place]);
  const id = (entry.fork ??= entry.turnId);
  const fork = (forks[id] ??= { current: 0, versions: [[]] });
  fork.versions[fork.current] = entries.slice(place);
  return { id, fork };
}
