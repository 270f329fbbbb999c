import base from "../styles/base.css";
import composer from "../styles/composer.css";
import form from "../styles/form.css";
import header from "../styles/header.css";
import markdown from "../styles/markdown.css";
import messages from "../styles/messages.css";
import panel from "../styles/panel.css";
import routings from "../styles/routings.css";
import tokens from "../styles/tokens.css";

export const STYLES = [tokens, base, panel, header, messages, routings, markdown, composer, form].join("");
