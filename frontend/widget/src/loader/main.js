/** @import {Visitor} from "../types" */
import { createBus } from "../shared/bus.js";
import { installCommands } from "./commands.js";
import { defineInline } from "./inline.js";
import { findScript, readOptions } from "./script.js";
import { createWidget } from "./widget.js";

const script = findScript();

// A page that includes the tag twice, or runs it again after a client-side swap, keeps the first widget.
if (script && !window.handrail?.build) {
  const options = readOptions(script);
  /** @type {Visitor} */
  const visitor = { user: {}, context: {} };
  const bus = createBus();
  installCommands(createWidget(options, visitor, bus));
  defineInline(options, visitor, bus);
}
