/** @import {Me} from "./types" */
import { createApi, Failure } from "./api.js";
import { askForFactor } from "./factor-door.js";
import { createShell } from "./shell.js";
import { comeBackWith, signIn } from "./sign-in.js";
import { t } from "./strings.js";

const api = createApi(new URL("api/", document.baseURI).href);

/** Asks who is signed in; whoever nobody is signs in first. */
async function start() {
  let answer;
  try {
    answer = await api.get("me");
  } catch (error) {
    answer = await signIn(api, error instanceof Failure && error.status === 401 ? comeBackWith() : t("unreachable"));
  }
  api.setCsrf(answer.csrf ?? "");
  if (answer.second_factor_missing) {
    await askForFactor(api);
    return void start();
  }
  const brand = await api.get("../../config").then((config) => config?.brand?.name ?? "", () => "");
  createShell(api, /** @type {Me} */ (answer.user ?? answer), brand, start);
}

void start();
