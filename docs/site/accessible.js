// The theme makes these elements when a page is shown: wide tables that scroll are reached by the
// keyboard, and the buttons beside each block of code are named apart.
const name = () => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
  document.querySelectorAll(".md-code__nav").forEach((nav, index) => {
    nav.setAttribute("aria-label", `Code ${index + 1}`);
  });
};
new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
name();
