// The messages of the page's language, as the server has put them into the page.

const held = document.getElementById("messages");
const messages = held ? JSON.parse(held.textContent) : {};

// The message of a key, with {name} replaced by the value of that name.
export function t(key, values = {}) {
  return (messages[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

// The view or other data that the server has put into the page.
export function given(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
}
