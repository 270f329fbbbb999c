/** @import {Colleague, Desk} from "./types" */

/** Keeps the names of colleagues and who is there. @param {Desk} desk @returns {() => void} */
export function watchPeople(desk) {
  async function load() {
    try {
      const answer = await desk.api.get("users");
      for (const person of /** @type {Colleague[]} */ (answer.items ?? answer.users ?? answer)) desk.people.set(person.id, person);
      desk.emit("people");
    } catch (error) {
      desk.fail(error);
    }
  }
  void load();
  const stops = [
    desk.on("presence", (event) => {
      const who = String(event.who ?? event.user_id ?? event.id ?? "");
      if (who.startsWith("visitor:")) return;
      const id = who.replace("agent:", "");
      const known = desk.people.get(id);
      if (!known) return void load();
      desk.people.set(id, { ...known, online: event.online === true });
      desk.emit("people");
    }),
    desk.on("reconnected", () => void load()),
  ];
  return () => stops.forEach((stop) => stop());
}

/** @param {Desk} desk @param {string | null | undefined} id @returns {string} */
export const nameOf = (desk, id) => (id === desk.me.id ? desk.me.name : desk.people.get(id ?? "")?.name ?? desk.t("colleague"));
