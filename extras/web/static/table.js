// What the pages with a board share: their address, their messages, the moves beside the board.

import { get, Refused } from "./api.js";
import { t } from "./words.js";

export const byId = (id) => document.getElementById(id);
export const asked = new URL(location.href).searchParams;

// The game, the position it is played from and its moves, as requests and addresses name them.
export function played(view) {
  const query = { game: view.game };
  if (view.position) query.position = view.position;
  if (view.link) query.moves = view.link;
  return query;
}

// An address that a person can read: commas, colons, slashes and equals signs stay as they are.
export function addressOf(path, query) {
  const text = new URLSearchParams(query).toString();
  return `${path}?${text.replace(/%(2C|2F|3A|3D)/g, decodeURIComponent)}`;
}

// The state of the page becomes its address; its language stays.
export function keepInAddress(path, query) {
  const lang = asked.get("lang");
  history.replaceState(null, "", addressOf(path, lang ? { ...query, lang } : query));
}

// The list of moves: numbered rows, the move of each player in its column.
export function movesList(element, go) {
  return (view) => {
    const rows = [];
    view.moves.forEach((name, ply) => {
      const mover = view.movers[ply];
      let row = rows.at(-1);
      // a new row for player_0 after player_1; a player who moves again stays in the row
      if (!row || (mover === 0 && ply && view.movers[ply - 1] === 1)) {
        row = document.createElement("li");
        row.append(document.createElement("span"), document.createElement("span"));
        rows.push(row);
      }
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.dataset.ply = ply + 1;
      if (ply === (view.shown ?? view.moves.length) - 1) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => go(ply + 1));
      row.children[mover].append(button);
    });
    element.replaceChildren(...rows);
    const current = element.querySelector("[aria-current]");
    if (current) element.scrollTop = current.offsetTop - element.clientHeight / 2;
  };
}

// Actions that have no place on the picture: passes, swaps, or all of a game without areas.
export function showElsewhere(actions, choose, kind = "button") {
  byId("elsewhere").replaceChildren(
    ...actions.filter((each) => !each.area).map((action) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = kind;
      button.textContent = action.label;
      button.addEventListener("click", () => choose(action));
      return button;
    }),
  );
}

// Tell what did not work. `again`, if it is given, does it once more at the press of a button.
export function complain(error, again = null) {
  if (error.name === "AbortError") return;
  if (!(error instanceof Refused)) console.error(error);
  const problem = byId("problem");
  problem.replaceChildren(error instanceof Refused ? error.message : t("error.title"));
  problem.hidden = false;
  if (!again) return;
  const button = textElement("button", t("play.try_again"), "button");
  button.type = "button";
  button.addEventListener("click", () => {
    problem.hidden = true;
    again();
  });
  problem.append(" ", button);
}

// A button that copies an address tells so for a moment.
export async function copyAddress(button, address) {
  await navigator.clipboard.writeText(address).catch(() => prompt("", address));
  button.textContent = t("play.copied");
  setTimeout(() => (button.textContent = t("play.link")), 2000);
}

// A list of agents holds the chosen one, which may have been set up by hand; the server names it.
export function showChosen(select, chosen, game, onName = () => {}) {
  if (![...select.options].some((option) => option.value === chosen)) {
    const option = new Option(chosen, chosen);
    select.prepend(option);
    get("check", { game, agent: chosen }).then(
      ({ name }) => {
        option.textContent = name;
        onName();
      },
      () => {}, // what is wrong with the agent is told when it is asked to think
    );
  }
  select.value = chosen;
}

// The name of the agent that a list shows for a specification.
export function nameIn(select, spec) {
  return [...select.options].find((option) => option.value === spec)?.textContent ?? spec;
}

// The game and the agents as the command line names them.
export function showSpecifications(...specs) {
  byId("specs").textContent = specs.join("\n");
}

// What stands for a player: the badge of the game, or a disc in its colour or with its mark.
export function playersDisc({ colour, mark, badge }) {
  const disc = document.createElement("span");
  disc.className = badge ? "badge" : "disc";
  if (badge) {
    disc.textContent = badge;
    disc.style.color = colour;
    return disc;
  }
  if (colour) disc.style.backgroundColor = colour;
  else disc.textContent = mark;
  return disc;
}

export function textElement(kind, text, className = "") {
  const element = document.createElement(kind);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

// Alt and an arrow key go one move back or on.
export function onSteps(back, forth) {
  addEventListener("keydown", (event) => {
    const step = { ArrowLeft: back, ArrowRight: forth }[event.key];
    if (!event.altKey || !step || event.target.closest("input, select, dialog")) return;
    event.preventDefault();
    step();
  });
}

// The evaluation bar: from −1 (player_1 wins) to 1 (player_0 wins).
export function showBar(element, value, players) {
  const isKnown = value !== null && value !== undefined;
  const filled = element.firstElementChild;
  filled.style.backgroundColor = players[0].colour ?? "#d7263d";
  element.style.backgroundColor = players[1].colour ?? "#f2b705";
  element.classList.toggle("unknown", !isKnown);
  if (isKnown) filled.style.height = `${50 + 50 * value}%`;
  const text = isKnown ? standing(value, players) : t("analyse.bar_unknown");
  element.setAttribute("aria-label", t("analyse.bar", { value: text }));
  element.title = text;
}

function standing(value, players) {
  const leader = value > 0.02 ? 0 : value < -0.02 ? 1 : null;
  if (leader === null) return t("analyse.bar_even");
  return `${players[leader].name} ${Math.round(50 + 50 * Math.abs(value))} %`;
}
