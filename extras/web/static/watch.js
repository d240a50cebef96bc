// Two agents play each other, step by step or on their own.

import { setUpAgent } from "./agents.js";
import { post, think } from "./api.js";
import { Board } from "./board.js";
import { movesList } from "./moves.js";
import { addressOf, asked, byId, complain, keepInAddress, nameIn, onSteps, played, playersDisc,
  showBar, showChosen, showSpecifications, textElement } from "./table.js";
import { thoughts } from "./thinking.js";
import { given, t } from "./words.js";

let view = given("view");
let running = false;
let search = null;
let timer = null;
let seed = Number(asked.get("seed")) || 0;
let bar = null;
const offered = [...byId("agent-0").options].map((option) => option.value).filter(Boolean);
const agents = [asked.get("first") || offered[0], asked.get("second") || offered[1] || offered[0]];

const board = new Board(byId("board"), t("play.board"), () => {});
const showMoves = movesList(byId("moves"), goTo);

function show() {
  board.show(view, false);
  byId("board").dataset.state = view.over ? "over" : running ? "running" : "waiting";
  byId("status").textContent = view.status;
  byId("board-text").textContent = view.text;
  if (view.said) byId("said").textContent = view.over ? `${view.said} ${view.status}` : view.said;
  showMoves(view);
  byId("auto").textContent = running ? t("watch.pause") : t("watch.auto");
  byId("auto").disabled = view.over;
  byId("step").disabled = view.over || running || Boolean(search);
  showBar(byId("bar"), view.over ? { null: 0, 0: 1, 1: -1 }[view.winner] : bar, view.players);
  for (const player of [0, 1]) showPlayer(player);
  const query = { game: view.game, first: agents[0], second: agents[1], ...played(view) };
  keepInAddress("/watch", seed ? { ...query, seed } : query);
  showSpecifications(view.game, ...agents);
  byId("review").href = addressOf("/review", played(view));
  byId("review").hidden = Boolean(view.position); // a review begins with the first move
}

function showPlayer(player) {
  const element = byId(`player-${player}`);
  element.classList.toggle("turn", !view.over && view.to_move === player);
  element.replaceChildren(
    playersDisc(view.players[player]),
    textElement("strong", nameIn(byId(`agent-${player}`), agents[player])),
    textElement("span", view.players[player].name, "note"),
    ...(search && view.to_move === player ? [textElement("span", t("play.thinking"), "busy")] : []),
  );
}

async function step() {
  if (view.over || search) return;
  const mine = (search = new AbortController());
  byId("problem").hidden = true;
  show();
  try {
    const query = { ...played(view), agent: agents[view.to_move], seed };
    const decision = await think(query, mine.signal, tell);
    await board.settled;
    if (search !== mine) return;
    tell(decision);
    view = decision.view;
    search = null;
    running &&= !view.over;
    show();
    if (running) timer = setTimeout(step, 1000 * Number(byId("speed").value));
  } catch (error) {
    if (search !== mine) return;
    stop();
    complain(error);
  }
}

function ask(path, content) {
  return post(path, { game: view.game, position: view.position, moves: view.moves, ...content });
}

function tell(decision) {
  if (decision.bar !== null) bar = decision.bar;
  showBar(byId("bar"), bar, view.players);
  byId("thinking").replaceChildren(thoughts(decision));
}

function stop() {
  search?.abort();
  search = null;
  running = false;
  clearTimeout(timer);
  show();
}

async function goTo(ply) {
  stop();
  view = await ask("view", { moves: view.moves.slice(0, ply) });
  show();
}

byId("auto").addEventListener("click", () => {
  if (running) return stop();
  running = true;
  return step();
});
byId("step").addEventListener("click", step);
byId("again").addEventListener("click", async () => {
  const again = running;
  seed += 1;
  bar = null;
  await goTo(0);
  if (again) byId("auto").click();
});
const showSpeed = () => {
  byId("speed-text").textContent = t("watch.seconds", { seconds: byId("speed").value });
};
byId("speed").addEventListener("input", showSpeed);
for (const player of [0, 1]) {
  const select = byId(`agent-${player}`);
  select.addEventListener("change", async () => {
    let wanted = select.value;
    if (wanted === "") wanted = (await setUpAgent(view.game)) ?? agents[player];
    agents[player] = wanted;
    showChosen(select, wanted, view.game, show);
    stop();
  });
  showChosen(select, agents[player], view.game, show);
}
onSteps(() => view.moves.length && goTo(view.moves.length - 1), step);
addEventListener("pagehide", () => search?.abort());
showSpeed();
show();
document.body.dataset.ready = "yes";
