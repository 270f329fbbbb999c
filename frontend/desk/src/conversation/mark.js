/** @import {Desk, Turn} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, fresh } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";

/**
 * A button that makes the turn a case for the evaluation: what the assistant should have done instead.
 * @param {Desk} desk
 * @param {Turn} turn
 */
export function markButton(desk, turn) {
  const { t, api } = desk;

  function ask() {
    const group = fresh("should");
    const choice = (/** @type {string} */ value, /** @type {boolean} */ checked) => {
      const id = fresh("should-choice");
      return el("p", { class: "check" }, el("input", { type: "radio", name: group, id, value, checked }), el("label", { for: id, text: t(`should_${value}`) }));
    };
    const dialog = openDialog(t("mark_title"), [
      el("p", { dir: "auto", text: turn.question }),
      el("fieldset", {}, el("legend", { text: t("mark_should") }), choice("refuse", true), choice("answer", false)),
    ], {
      action: t("mark_save"),
      async submit() {
        const refuse = /** @type {HTMLInputElement | null} */ (dialog.querySelector("input:checked"))?.value === "refuse";
        dialog.close();
        try {
          await api.post("cases", { format: "refusal", turn_id: turn.turn_id, should_refuse: refuse });
          desk.say(t("mark_done"));
        } catch (error) {
          desk.fail(error);
        }
      },
    });
  }

  return button(t("mark"), ask, { class: "link" });
}
