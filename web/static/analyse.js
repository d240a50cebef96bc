// The page of a position: exact values where a solver reaches, agents' values and lines elsewhere.

import { setUpAgent } from "./agents.js";
import { stream } from "./api.js";
import { showBar } from "./bar.js";
import { Board } from "./board.js";
import { Editor } from "./editor.js";
import { SteppedLine } from "./line.js";
import { movesList } from "./moves.js";
import { addressOf, asked, byId, complain, keepInAddress, nameIn, played, showChosen,
  showElsewhere, showSpecifications, textElement } from "./table.js";
import { given, t } from "./words.js";

const MOST_LABELS = 30; // on the board; more cannot be read
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

const board = new Board(byId("board"), t("play.board"), (action) =>
  editor.open ? editor.choose(action).catch(complain) : line.play(action.action),
);
const line = new SteppedLine(view, arrive, complain);
const showMoves = movesList(byId("moves"), (ply) => line.go(ply));
const editor = new Editor(board, edited);
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
  showElsewhere(view.actions, (action) => line.play(action.action));
  const query = { ...played(view), agent: chosen.first };
  if (chosen.second !== "none") query.second = chosen.second;
  keepInAddress("/analyse", query);
  showSpecifications(view.game, ...Object.values(chosen).filter((spec) => spec !== "none"));
  byId("play-on").href = addressOf("/play", { ...played(view), seat: view.to_move });
  showFound();
}

// A position was set up, or the editor left without one.
function edited(next) {
  document.body.classList.remove("editing");
  byId("edit").focus();
  if (!next) arrive(view);
  else {
    lateFrom = -1;
    line.restart(next);
  }
}

byId("edit")?.addEventListener("click", () => {
  if (editor.open) return;
  search?.abort();
  document.body.classList.add("editing");
  byId("problem").hidden = true;
  byId("elsewhere").replaceChildren();
  byId("legend").textContent = "";
  editor.start(view).catch(complain);
});

// -- searches --

async function searchAll() {
  search?.abort();
  const mine = (search = new AbortController());
  byId("problem").hidden = true;
  if (view.over) return;
  const query = played(view);
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
  const parts = [textElement("h2", nameIn(byId(`${which}-agent`), chosen[which]))];
  if (data) {
    const work = data.simulations
      ? `${data.simulations.toLocaleString()} ${t("think.simulations")}`
      : `${data.nodes.toLocaleString()} ${t("think.nodes")}`;
    const depth = data.depth ? `${t("think.depth")} ${data.depth} · ` : "";
    const list = document.createElement("ol");
    list.className = "lines";
    list.append(...(data.lines ?? []).map((each) => lineRow(each)));
    parts.push(textElement("p", depth + work, "note"), list);
  } else parts.push(textElement("p", t("play.thinking"), "busy"));
  element.replaceChildren(...parts);
}

function lineRow(each) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    textElement("b", each.score, each.exact ? "proved" : "guess"),
    textElement("span", each.moves.slice(0, 10).map((move) => move.name).join(" ")),
  );
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
        .map((each) => ({ action: each.action, text: `${share(each)}`, kind: "visits", worth: each.visits })),
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
        worth: sign * each.bar,
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
    worth: each.value,
  }));
}

// -- choices --

for (const which of ["first", "second"]) {
  const select = byId(`${which}-agent`);
  select.addEventListener("change", async () => {
    let wanted = select.value;
    if (wanted === "") wanted = (await setUpAgent(view.game).catch(complain)) ?? chosen[which];
    chosen[which] = wanted;
    showChosen(select, wanted, view.game, showFound);
    if (!editor.open) arrive(view);
  });
  showChosen(select, chosen[which], view.game, showFound);
}
byId("show").addEventListener("change", showFound);
addEventListener("pagehide", () => search?.abort());

await line.go(line.ply);
document.body.dataset.ready = "yes";
