/** @import {Desk} from "../types" */
/** @import {Failure} from "../api.js" */

/** Says who was quicker, by a name where the desk knows one. @param {Desk} desk @param {Failure} error a 409 */
export function sayConflict(desk, error) {
  const owner = error.detail.owner;
  const id = owner?.id ?? owner;
  const name = owner?.name ?? desk.people.get(id)?.name;
  desk.say(name && id !== desk.me.id ? desk.t("conflict_taken", { name }) : desk.t("conflict_changed"), "bad");
}
