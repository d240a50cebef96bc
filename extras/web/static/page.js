// On every page: light or dark, the link of the page in sight, links to the same page in the other
// language, and buttons that open dialogs.

const root = document.documentElement;
const remembered = localStorage.getItem("theme");
if (remembered) root.dataset.theme = remembered;

document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});

// On a phone the links to pages and games are wider than the window.
for (const link of document.querySelectorAll("nav [aria-current]")) {
  link.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// The address changes with every move, so the link is made when it is followed.
for (const link of document.querySelectorAll("[data-language]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const address = new URL(location.href);
    address.searchParams.set("lang", link.dataset.language);
    location.assign(address);
  });
}

for (const button of document.querySelectorAll("[data-opens]")) {
  const dialog = document.getElementById(button.dataset.opens);
  button.addEventListener("click", () => dialog.showModal());
}
