// So many at once that the browser is kept busy, and so few that the page goes on painting in between.
const AT_ONCE = 500;

/**
 * Looks for the number that an ALTCHA challenge asks for. Only pages that were sent over https, or from this machine, can.
 * @param {{ algorithm: string, challenge: string, salt: string, signature: string, maxnumber: number }} challenge
 * @returns {Promise<object | null>} what the server is sent; null where there is no solution
 */
export async function solve({ algorithm, challenge, salt, signature, maxnumber }) {
  const encoder = new TextEncoder();
  for (let from = 0; from <= maxnumber; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, maxnumber - from + 1) }, (_, n) => from + n);
    const hashes = await Promise.all(numbers.map((number) => crypto.subtle.digest(algorithm, encoder.encode(salt + number))));
    const number = numbers.find((_, n) => hex(/** @type {ArrayBuffer} */ (hashes[n])) === challenge);
    if (number !== undefined) return { algorithm, challenge, salt, signature, number };
    await new Promise((resolve) => setTimeout(resolve));
  }
  return null;
}

/** @param {ArrayBuffer} hash */
const hex = (hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
