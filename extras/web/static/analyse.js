// The page of a position: exact values where a solver reaches, agents' values and lines elsewhere.

import { setUpAgent } from "./agents.js";
import { stream } from "./api.js";
import { Board } from "./board.js";
import { Editor } from "./editor.js";
import { SteppedLine } from "./line.js";
import { addressOf, asked, byId, complain, keepInAddress, movesList, nameIn, played, showBar,
  showChosen, showElsewhere, showSpecifications, textElement } from "./table.js";
import { given, t } from "./words.js";

const MOST_LABELS = 30; // on the board; more cannot be read
const MOST_NAMES = 12; // of the best moves, and of those that may be
const BUDGETS = [0.25, 1, 2, 4, 8, 16, 32, 64]; // seconds of an agent, one after another
let view = given("view");
let search = null; // the AbortController of all searches of this position
let exact = null;
const found = { first: null, second: null };
const failed = { first: false, second: false }; // whether the agent has failed in this position
const chosen = {
  first: asked.get("agent") || byId("first-agent").options[0].value,
  second: asked.get("second") || "none",
};
let budget = null; // the seconds that the agents have now; null when all is done
let shownLine = null;
let wantedValues = "exact"; // on the board, where there are any

const board = new Board(byId("board"), t("play.board"), (action) =>
  editor.open ? editor.choose(action).catch(complain) : line.play(action.action),
);
const line = new SteppedLine(view, arrive, complain);
const showMoves = movesList(byId("moves"), (ply) => line.go(ply));
const editor = new Editor(board, edited);
const solvable = byId("exact").dataset.solvable === "yes";

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
  else line.restart(next);
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
  budget = null;
  failed.first = failed.second = false;
  showFound();
  if (view.over || document.hidden) return;
  // the agents' first values stand on the board before the solver is asked, which goes on beside
  await thinkFor(BUDGETS.slice(0, 1), mine);
  solve(mine);
  await thinkFor(BUDGETS.slice(1), mine);
  if (mine.signal.aborted) return;
  budget = null;
  showFound();
}

// Ask the solver, which answers at once where the position is beyond its reach.
async function solve(mine) {
  if (!solvable || exact || mine.signal.aborted) return;
  const waiting = () => {
    byId("exact").hidden = false;
    byId("exact-text").textContent = t("analyse.exact_wait");
  };
  try {
    exact = await stream("solve", played(view), mine.signal, waiting);
    showFound();
  } catch (error) {
    if (mine.signal.aborted) return;
    showFound(); // the solver is no longer at work
    complain(error, searchAll);
  }
}

// The agents think one after another; one that fails is not asked again, the other is.
async function thinkFor(budgets, mine) {
  for (const seconds of budgets) {
    for (const which of ["first", "second"]) {
      if (failed[which] || mine.signal.aborted) continue;
      try {
        await deepen(which, seconds, mine);
      } catch (error) {
        if (mine.signal.aborted) return;
        failed[which] = true;
        showFound();
        complain(error, searchAll);
      }
    }
  }
}

// Let an agent think again, for so many seconds; one without a time says all at once.
async function deepen(which, seconds, mine) {
  const agent = chosen[which];
  if (agent === "none" || (seconds > BUDGETS[0] && !/[:,]time=/.test(agent))) return;
  budget = seconds;
  const before = found[which];
  const content = { ...played(view), agent, seconds };
  found[which] = await stream("lines", content, mine.signal, (progress) => {
    // a new search begins anew: what it says is shown once it is as deep as the last one was
    if (before && depthOf(progress) <= depthOf(before)) return;
    found[which] = { ...progress, lines: progress.lines.length ? progress.lines : before?.lines };
    showFound();
  });
  showFound();
}

const depthOf = (data) => data.depth || data.simulations || 0;

// Nobody looks: the analysis waits.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) search?.abort();
  else if (!editor.open) searchAll();
});

// -- what was found --

function showFound() {
  showExact();
  for (const which of ["first", "second"]) showResult(which);
  offerValues();
  const best = exact?.bar ?? found.first?.bar ?? found.second?.bar ?? null;
  const ended = view.over ? (view.winner === null ? 0 : view.winner === 0 ? 1 : -1) : null;
  showBar(byId("bar"), ended ?? best, view.players);
  showMarks();
}

function showExact() {
  if (!solvable) return;
  byId("exact").hidden = view.over || !exact?.actions.length;
  if (byId("exact").hidden) return;
  const names = (actions) => {
    const all = actions.map((each) => view.actions.find((a) => a.action === each).name);
    return all.slice(0, MOST_NAMES).join(", ") + (all.length > MOST_NAMES ? ", …" : "");
  };
  const [low, high] = exact.between.map(({ text }) => text);
  const player = view.players[view.to_move].name;
  const [count, all] = [exact.actions.length, view.actions.length];
  const parts = [exact.value === null
    ? t("analyse.exact_between", { player, low, high })
    : t("analyse.exact_is", { player, value: exact.shown.text })];
  if (exact.optimal.length) parts.push(t("analyse.best", { moves: names(exact.optimal) }));
  if (exact.open.length && exact.open.length < all) {
    parts.push(t("analyse.open", { moves: names(exact.open) }));
  }
  if (!exact.exact) parts.push(t("analyse.exact_some", { count, all }));
  byId("exact-text").textContent = parts.join(" ");
}

function showResult(which) {
  const element = byId(`result-${which}`);
  const data = found[which];
  element.hidden = chosen[which] === "none" || view.over;
  if (element.hidden) return;
  const open = element.querySelector("details")?.open;
  const parts = [textElement("h2", nameIn(byId(`${which}-agent`), chosen[which]))];
  if (data) {
    const list = document.createElement("ol");
    list.className = "lines";
    list.append(...(data.lines ?? []).map((each) => lineRow(each)));
    parts.push(textElement("p", workOf(data), "note"), list, detailsOf(which, data, open));
  } else if (failed[which]) parts.push(textElement("p", t("analyse.failed"), "note"));
  else parts.push(textElement("p", t("play.thinking"), "busy"));
  element.replaceChildren(...parts);
}

function workOf(data) {
  const parts = data.depth ? [`${t("think.depth")} ${data.depth}`] : [];
  const [work, unit] = data.simulations ? [data.simulations, "simulations"] : [data.nodes, "nodes"];
  if (work) parts.push(`${work.toLocaleString(document.documentElement.lang)} ${t(`think.${unit}`)}`);
  if (budget > BUDGETS[0]) parts.push(t("analyse.deeper", { seconds: budget }));
  // each part stays on its line, and so does the sign after it
  return parts.map((part) => part.replaceAll(" ", "\u00a0")).join("\u00a0· ");
}

// What only some want to know: points of a heuristic, the specification.
function detailsOf(which, data, open) {
  const details = document.createElement("details");
  details.className = "raw";
  details.open = Boolean(open);
  const points = data.shown?.points ? [textElement("p", data.shown.points, "note")] : [];
  details.append(textElement("summary", t("analyse.details")), ...points,
    textElement("code", chosen[which]));
  return details;
}

function lineRow(each) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    textElement("b", each.shown?.text ?? "–", each.shown?.kind ?? "guess"),
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

// Only what there is can be shown on the board; else the first agent's values are.
function offerValues() {
  const there = {
    exact: Boolean(exact?.actions.length),
    second: chosen.second !== "none",
    network: Boolean(shownData().actions?.some((each) => each.probability !== undefined)),
  };
  for (const [name, offered] of Object.entries(there)) {
    const option = byId("show").querySelector(`[value=${name}]`);
    option.hidden = option.disabled = !offered;
  }
  byId("show").value = there[wantedValues] === false ? "first" : wantedValues;
}

const shownData = () => (wantedValues === "second" ? found.second : found.first) ?? {};

function showMarks() {
  board.clearMarks();
  if (view.over) return;
  const shown = byId("show").value;
  const data = shownData();
  let legend = "";
  if (shown === "network") {
    const visits = data.actions.reduce((sum, each) => sum + (each.visits ?? 0), 0);
    const most = Math.max(...data.actions.map((each) => each.visits ?? 0));
    board.heat(data.actions.map((each) => ({ action: each.action, share: each.probability ?? 0 })));
    const share = (each) => Math.round((100 * each.visits) / visits);
    board.label(
      data.actions
        .filter((each) => visits && share(each) > 0)
        .map((each) => ({ action: each.action, lines: [`${share(each)}`], kind: "visits",
          worth: each.visits, tone: 0, best: each.visits === most })),
    );
    legend = t("analyse.legend_network");
  } else if (shown !== "nothing") {
    const known = shown === "exact" ? exact.actions : [];
    const proved = new Set(known.map((each) => each.action));
    const labels = [...known, ...(data.actions ?? [])
      .filter((each) => each.shown && !proved.has(each.action))
      .slice(0, MOST_LABELS)];
    const sign = view.to_move === 0 ? 1 : -1;
    const best = known.length ? exact.optimal : [data.lines?.[0]?.action];
    board.label(labels.map(({ action, value, bar, shown: { lines, kind } }) => (
      { action, lines, kind, best: best.includes(action), worth: bar === undefined ? value : sign * bar,
        tone: { win: 1, draw: 0, loss: -1 }[kind] ?? sign * bar }
    )));
    legend = legendOf(labels.map((each) => each.shown));
  }
  byId("legend").textContent = legend;
  const all = [...(found.first?.lines ?? []), ...(found.second?.lines ?? [])];
  const pressed = all.find((each) => each.action === shownLine);
  if (pressed) board.line(pressed.moves);
}

// What the values on the board are, one scale for the page.
function legendOf(values) {
  const player = view.players[view.to_move].name;
  const scale = view.players[0].most === 1 ? "analyse.scale_percent" : "analyse.scale_margin";
  const parts = [];
  if (values.some(({ kind }) => kind !== "guess")) parts.push(t("analyse.legend_exact"));
  if (values.some(({ kind }) => kind === "guess")) parts.push(t(scale, { player }));
  return parts.join(" · ");
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
byId("show").addEventListener("change", () => {
  wantedValues = byId("show").value;
  showFound();
});
addEventListener("pagehide", () => search?.abort());

await line.go(line.ply);
document.body.dataset.ready = "yes";
