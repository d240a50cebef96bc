// The page of a position: exact values where a solver reaches, agents' values and lines elsewhere.

import { setUpAgent } from "./agents.js";
import { stream, Refused } from "./api.js";
import { showBar } from "./bar.js";
import { Board } from "./board.js";
import { SteppedLine } from "./line.js";
import { movesList } from "./moves.js";
import { given, t } from "./words.js";

const MOST_LABELS = 30; // on the board; more cannot be read
const byId = (id) => document.getElementById(id);
const asked = new URL(location.href).searchParams;
let view = given("view");
let search = null; // the AbortController of all searches of this position
let exact = null;
const found = { first: null, second: null };
const chosen = {
  first: asked.get("agent") || byId("first-agent").options[0].value,
  second: asked.get("second") || "none",
};
let shownLine = null;
let lateFrom = -1; // the last ply whose position was beyond the solver

const board = new Board(byId("board"), t("play.board"), (action) => line.play(action.action));
const line = new SteppedLine(view, arrive, complain);
const showMoves = movesList(byId("moves"), (ply) => line.go(ply));
const solvable = byId("exact").dataset.solvable === "yes";
if (!solvable) byId("show").value = "first";

function arrive(next) {
  view = next;
  exact = null;
  found.first = null;
  found.second = null;
  shownLine = null;
  show();
  searchAll();
}

function show() {
  board.show(view, !view.over);
  byId("status").textContent = view.status;
  byId("board-text").textContent = view.text;
  if (view.said) byId("said").textContent = view.said;
  showMoves(line.listed(view));
  showElsewhere();
  keepInAddress();
  showFound();
}

function keepInAddress() {
  const query = { game: view.game };
  if (view.link) query.moves = view.link;
  query.agent = chosen.first;
  if (chosen.second !== "none") query.second = chosen.second;
  if (asked.get("lang")) query.lang = asked.get("lang");
  const text = new URLSearchParams(query).toString().replace(/%(2C|3A|3D)/g, decodeURIComponent);
  history.replaceState(null, "", `/analyse?${text}`);
  const moves = view.link ? `&moves=${encodeURIComponent(view.link)}` : "";
  byId("play-on").href =
    `/play?game=${encodeURIComponent(view.game)}${moves}&seat=${view.to_move}`;
}

function showElsewhere() {
  byId("elsewhere").replaceChildren(
    ...view.actions.filter((each) => !each.area).map((action) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = action.label;
      button.addEventListener("click", () => line.play(action.action));
      return button;
    }),
  );
}

function complain(error) {
  if (error.name === "AbortError") return;
  byId("problem").textContent = error instanceof Refused ? error.message : String(error);
  byId("problem").hidden = false;
}

// -- searches --

async function searchAll() {
  search?.abort();
  const mine = (search = new AbortController());
  byId("problem").hidden = true;
  if (view.over) return;
  const query = { game: view.game, moves: view.link };
  try {
    if (solvable && line.ply > lateFrom) {
      byId("exact-text").textContent = t("analyse.exact_wait");
      exact = await stream("solve", query, mine.signal, () => {});
      if (!exact.whole) lateFrom = Math.max(lateFrom, line.ply);
      showFound();
    }
    for (const which of ["first", "second"]) {
      if (chosen[which] === "none") continue;
      const content = { ...query, agent: chosen[which] };
      found[which] = await stream("lines", content, mine.signal, (progress) => {
        found[which] = progress;
        showFound();
      });
      showFound();
    }
  } catch (error) {
    if (search === mine) complain(error);
  }
}

// -- what was found --

function showFound() {
  showExact();
  for (const which of ["first", "second"]) showResult(which);
  const best = exact?.bar ?? found.first?.bar ?? found.second?.bar ?? null;
  const ended = view.over ? (view.winner === null ? 0 : view.winner === 0 ? 1 : -1) : null;
  showBar(byId("bar"), ended ?? best, view.players);
  showMarks();
}

function showExact() {
  const text = byId("exact-text");
  if (!solvable) return;
  if (view.over) text.textContent = view.status;
  else if (!exact) {
    if (line.ply <= lateFrom) text.textContent = t("analyse.exact_late");
  } else if (exact.value === null) {
    const count = exact.actions.length;
    const all = view.actions.length;
    text.textContent = count
      ? t("analyse.exact_some", { count, all })
      : t("analyse.exact_late");
  } else {
    const mover = view.to_move;
    const winner = exact.worth > 0 ? mover : exact.worth < 0 ? 1 - mover : null;
    const result =
      winner === null ? t("analyse.draw") : t("analyse.wins", { player: view.players[winner].name });
    const names = exact.optimal.map((each) => view.actions.find((a) => a.action === each).name);
    const best = t("analyse.best", { moves: names.slice(0, 12).join(", ") });
    text.textContent = `${result} (${t("analyse.points", { value: signed(exact.value) })}). ${best}`;
    text.title = exact.meaning;
  }
}

function showResult(which) {
  const element = byId(`result-${which}`);
  const data = found[which];
  element.hidden = chosen[which] === "none" || view.over;
  if (element.hidden) return;
  const title = document.createElement("h2");
  title.textContent = chosen[which];
  const parts = [title];
  if (data) {
    const note = document.createElement("p");
    note.className = "note";
    const work = data.simulations
      ? `${data.simulations.toLocaleString()} ${t("think.simulations")}`
      : `${data.nodes.toLocaleString()} ${t("think.nodes")}`;
    note.textContent = data.depth ? `${t("think.depth")} ${data.depth} · ${work}` : work;
    const list = document.createElement("ol");
    list.className = "lines";
    list.append(...(data.lines ?? []).map((each) => lineRow(each)));
    parts.push(note, list);
  } else {
    const busy = document.createElement("p");
    busy.className = "busy";
    busy.textContent = t("play.thinking");
    parts.push(busy);
  }
  element.replaceChildren(...parts);
}

function lineRow(each) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  const score = document.createElement("b");
  score.className = each.exact ? "proved" : "guess";
  score.textContent = each.score;
  const moves = document.createElement("span");
  moves.textContent = each.moves.slice(0, 10).map((move) => move.name).join(" ");
  button.append(score, moves);
  button.setAttribute("aria-pressed", shownLine === each.action);
  button.addEventListener("click", () => {
    shownLine = shownLine === each.action ? null : each.action;
    showFound();
  });
  row.append(button);
  return row;
}

const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

function showMarks() {
  board.clearMarks();
  if (view.over) return;
  const shown = byId("show").value;
  const sign = view.to_move === 0 ? 1 : -1;
  const data = shown === "second" ? found.second : found.first;
  let legend = "";
  if (shown === "network" && data) {
    const visits = data.actions.reduce((sum, each) => sum + (each.visits ?? 0), 0);
    board.heat(data.actions.map((each) => ({ action: each.action, share: each.probability ?? 0 })));
    const share = (each) => Math.round((100 * each.visits) / visits);
    board.label(
      data.actions
        .filter((each) => visits && share(each) > 0)
        .map((each) => ({ action: each.action, text: `${share(each)}`, kind: "visits" })),
    );
    legend = t("analyse.legend_network");
  } else if (shown !== "nothing") {
    const known = shown === "exact" ? exactLabels() : [];
    const proved = new Set(known.map((each) => each.action));
    const guesses = (data?.actions ?? [])
      .filter((each) => each.bar !== null && !proved.has(each.action))
      .slice(0, MOST_LABELS)
      .map((each) => ({
        action: each.action,
        text: each.exact ? resultText(sign * each.bar) : `${Math.round(50 + 50 * sign * each.bar)}%`,
        kind: each.exact ? kindOf(sign * each.bar) : "guess",
      }));
    board.label([...known, ...guesses]);
    legend = `${t("analyse.legend_exact")} · ${t("analyse.legend_estimate")}`;
  }
  byId("legend").textContent = legend;
  const all = [...(found.first?.lines ?? []), ...(found.second?.lines ?? [])];
  const pressed = all.find((each) => each.action === shownLine);
  if (pressed) board.line(pressed.moves);
}

const kindOf = (value) => (value > 0 ? "win" : value < 0 ? "loss" : "draw");
const resultText = (value) => (value > 0 ? "+" : value < 0 ? "−" : "=");

function exactLabels() {
  return (exact?.actions ?? []).map((each) => ({
    action: each.action,
    text: signed(each.value),
    kind: kindOf(each.result),
  }));
}

// -- choices --

for (const which of ["first", "second"]) {
  const select = byId(`${which}-agent`);
  const showChosen = () => {
    if (![...select.options].some((option) => option.value === chosen[which])) {
      select.prepend(new Option(chosen[which], chosen[which]));
    }
    select.value = chosen[which];
  };
  select.addEventListener("change", async () => {
    let wanted = select.value;
    if (wanted === "") wanted = (await setUpAgent(view.game).catch(complain)) ?? chosen[which];
    chosen[which] = wanted;
    showChosen();
    arrive(view);
  });
  showChosen();
}
byId("show").addEventListener("change", showFound);
addEventListener("pagehide", () => search?.abort());

line.go(line.ply);
document.body.dataset.ready = "yes";
