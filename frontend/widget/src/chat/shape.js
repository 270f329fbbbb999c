/** Readers for what came over the network: a wrong type becomes the empty value, never an exception. */

/** @param {unknown} value @returns {Record<string, any>} */
export const record = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});

/** @param {unknown} value @param {string} [otherwise] */
export const text = (value, otherwise = "") => (typeof value === "string" && value.trim() ? value : otherwise);

/** @param {unknown} value @returns {unknown[]} */
export const list = (value) => (Array.isArray(value) ? value : []);

/** @param {unknown} value @param {number} most @returns {string[]} */
export const texts = (value, most) => list(value).map((item) => text(item)).filter(Boolean).slice(0, most);
