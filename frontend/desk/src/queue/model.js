/** @import {Desk, Filters, Item, Page} from "../types" */

const PAGE = 100;
/** @type {Record<string, { state?: string, owner?: string, worth?: string }>} What each view asks the server for. */
export const VIEWS = { queued: { state: "queued" }, worth: { state: "bot,handed_back", worth: "true" }, mine: { state: "person", owner: "me" }, person: { state: "person" }, resolved: { state: "resolved" }, all: {} };
/** @type {Filters} */
export const UNFILTERED = { view: "queued", label: "", reason: "", lang: "", owner: "", q: "", sort: "waiting" };

/** @param {Filters} filters @returns {(a: Item, b: Item) => number} the server's order: most pressing, longest waiting or latest first */
function order({ sort, view }) {
  const waiting = (/** @type {Item} */ item) => (item.state === "queued" && item.queued_at ? item.queued_at : Infinity);
  const latest = (/** @type {Item} */ a, /** @type {Item} */ b) => b.updated_at - a.updated_at || (a.id < b.id ? -1 : 1);
  if (view === "worth") return (a, b) => b.priority - a.priority || latest(a, b);
  if (sort === "updated") return latest;
  return (a, b) => (waiting(a) === waiting(b) ? latest(a, b) : waiting(a) - waiting(b));
}

/**
 * The conversations a filter leaves, page by page, kept right by events.
 * @param {Desk} desk
 * @param {() => void} changed
 */
export function createQueue(desk, changed) {
  let filters = { ...UNFILTERED };
  /** @type {Item[]} */
  let items = [];
  /** @type {string | null} */
  let next = null;
  let asked = 0;
  let loading = false;
  let failed = false;

  const query = () => {
    const view = VIEWS[filters.view] ?? {};
    const { label, reason, lang, q, sort } = filters;
    return { state: view.state, owner: view.owner ?? filters.owner, worth: view.worth, label, reason, lang, q, sort, limit: PAGE };
  };

  /** @param {Item} item */
  function belongs(item) {
    const { state, owner, worth } = query();
    const owned = !owner || (owner === "none" ? !item.owner : item.owner?.id === (owner === "me" ? desk.me.id : owner));
    return owned && (!worth || item.concern) && (!state || state.split(",").includes(item.state)) && (!filters.label || item.label === filters.label)
      && (!filters.reason || item.reason === filters.reason) && (!filters.lang || item.lang === filters.lang);
  }

  /** @param {string | null} cursor */
  async function load(cursor) {
    const turn = ++asked;
    loading = true;
    failed = false;
    changed();
    try {
      const page = /** @type {Page} */ (await desk.api.get("conversations", { ...query(), cursor }));
      if (turn !== asked) return;
      const known = new Set(cursor ? items.map((item) => item.id) : []);
      items = cursor ? [...items, ...page.items.filter((item) => !known.has(item.id))] : page.items;
      next = page.next;
      desk.emit("counts", page.counts);
    } catch (error) {
      if (turn !== asked) return;
      failed = true;
      desk.fail(error);
    }
    loading = false;
    changed();
  }

  /** @param {Item} item */
  function upsert(item) {
    const at = items.findIndex((one) => one.id === item.id);
    const before = items[at];
    if (before && before.version > item.version) return;
    const merged = { ...before, ...item };
    if (at >= 0) items.splice(at, 1);
    if (belongs(merged) && (before || !filters.q)) {
      const compare = order(filters);
      const place = items.findIndex((one) => compare(merged, one) < 0);
      // Past the end of what is loaded it comes with its own page.
      if (place >= 0) items.splice(place, 0, merged);
      else if (!next) items.push(merged);
    }
    changed();
  }

  return {
    get items() { return items; },
    get filters() { return filters; },
    get loading() { return loading; },
    get failed() { return failed; },
    get complete() { return next === null; },
    upsert,
    reload: () => load(null),
    more: () => { if (next && !loading) void load(next); },
    /** @param {Partial<Filters>} change */
    filter(change) {
      filters = { ...filters, ...change };
      items = [];
      next = null;
      return load(null);
    },
    /** @param {string} id */
    seen(id) {
      const item = items.find((one) => one.id === id);
      if (item?.unread) upsert({ ...item, unread: 0 });
    },
  };
}
