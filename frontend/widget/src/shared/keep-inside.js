const TYPED = "keydown keypress keyup beforeinput input paste copy cut compositionstart compositionend focusin focusout".split(" ");

/**
 * What is typed in the chat, and where its focus goes, is no business of the page's shortcuts and focus traps.
 * @param {ShadowRoot} root
 * @param {AbortSignal} signal
 */
export function keepInside(root, signal) {
  for (const name of TYPED) root.addEventListener(name, (event) => event.stopPropagation(), { signal });
  // Listeners of the capture phase come first, and see this element as the target: they ask it whether one types in it.
  Object.defineProperty(root.host, "isContentEditable", { configurable: true, get: () => !!root.activeElement?.matches("input,textarea") });
}
