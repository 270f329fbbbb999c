/** @import {Api} from "./types" */

/** What the server refused, or `status` 0 when it could not be reached. */
export class Failure extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    const error = body?.error ?? body?.detail ?? {};
    super(typeof error === "string" ? error : error.message ?? "");
    this.status = status;
    /** @type {string} */
    this.code = error.code ?? "";
    /** @type {any} */
    this.detail = error;
  }
}

/** @param {string} base the desk API's address, with a trailing slash @returns {Api} */
export function createApi(base) {
  let csrf = "";

  /** @param {string} path @param {Record<string, any>} [query] */
  function url(path, query = {}) {
    const made = new URL(path, base);
    for (const [name, value] of Object.entries(query)) if (value !== null && value !== undefined && value !== "") made.searchParams.set(name, String(value));
    return made.href;
  }

  /** @param {string} method @param {string} address @param {unknown} [body] */
  async function send(method, address, body) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (method !== "GET") headers["X-CSRF-Token"] = csrf;
    let response;
    try {
      response = await fetch(address, { method, headers, body: body === undefined ? null : JSON.stringify(body), credentials: "same-origin" });
    } catch {
      throw new Failure(0, null);
    }
    const text = await response.text();
    let value = null;
    try {
      value = text ? JSON.parse(text) : null;
    } catch {
      // A proxy's own error page; its status says enough.
    }
    if (!response.ok) throw new Failure(response.status, value);
    return value;
  }

  /**
   * Sends a file as it is. `fetch` does not say how far a body has got.
   * @param {string} path @param {Record<string, any>} query @param {File} file @param {AbortSignal} stop @param {(share: number) => void} progress
   */
  function upload(path, query, file, stop, progress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", url(path, query));
      request.setRequestHeader("Accept", "application/json");
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.setRequestHeader("X-CSRF-Token", csrf);
      request.upload.onprogress = (event) => { if (event.lengthComputable) progress(event.loaded / event.total); };
      request.onload = () => {
        let value = null;
        try {
          value = JSON.parse(request.responseText);
        } catch {
          // A proxy's own error page; its status says enough.
        }
        if (request.status >= 200 && request.status < 300) resolve(value);
        else reject(new Failure(request.status, value));
      };
      request.onerror = request.onabort = () => reject(new Failure(0, null));
      stop.addEventListener("abort", () => request.abort());
      request.send(file);
    });
  }

  return {
    url, upload,
    get: (path, query) => send("GET", url(path, query)),
    post: (path, body = {}) => send("POST", url(path), body),
    put: (path, body = {}) => send("PUT", url(path), body),
    remove: (path) => send("DELETE", url(path)),
    setCsrf: (token) => void (csrf = token),
  };
}
