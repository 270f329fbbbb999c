/** The dashboard's pages change without a reload, as in any single-page app; the chat stays where it is. */
window.handrail = window.handrail || function () {
  (window.handrail.q = window.handrail.q || []).push(arguments);
};

// What a site tells the desk of a signed-in customer; the conversations of the demo show it beside the transcript.
window.handrail("setUser", { name: "Marlene Kern" });
window.handrail("setContext", { data: { plan: "Studio", site: "studio-marlene.tillwick.site" } });

const main = document.getElementById("main");

function showPage() {
  const name = location.hash.replace(/^#\//, "") || "home";
  const link = [...document.querySelectorAll("nav a")].find((one) => one.hash === `#/${name}`);
  if (location.hash && !link) return;
  const title = link?.textContent ?? "Home";
  const template = document.getElementById(name) ?? document.getElementById("other");
  main.replaceChildren(template.content.cloneNode(true));
  for (const node of main.querySelectorAll("[data-name]")) node.textContent = title;
  for (const node of main.querySelectorAll("[data-today]")) {
    node.textContent = new Date().toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
  }
  for (const one of document.querySelectorAll("nav a")) one.toggleAttribute("aria-current", false);
  link?.setAttribute("aria-current", "page");
  document.title = `${title} · Tillwick`;
}

addEventListener("hashchange", () => {
  showPage();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
document.addEventListener("click", (event) => {
  if (event.target instanceof Element && event.target.closest("[data-chat]")) window.handrail("open");
});
showPage();
