// What an agent thinks, in words and numbers.

import { t } from "./words.js";

const number = new Intl.NumberFormat(document.documentElement.lang);

function line(title, text) {
  const row = document.createElement("div");
  const name = document.createElement("dt");
  const value = document.createElement("dd");
  name.textContent = title;
  value.textContent = text;
  row.append(name, value);
  return row;
}

export function thoughts(decision) {
  const list = document.createElement("dl");
  if (decision.score) list.append(line(t("think.value"), decision.score_in_words));
  if (decision.depth) list.append(line(t("think.depth"), decision.depth));
  if (decision.simulations) {
    list.append(line(t("think.simulations"), number.format(decision.simulations)));
  } else if (decision.nodes) list.append(line(t("think.nodes"), number.format(decision.nodes)));
  const expected = decision.principal_variation;
  if (expected.length > 1) list.append(line(t("think.line"), expected.slice(0, 10).join(" ")));
  return list;
}

export function progressShown(decision) {
  document.getElementById("thinking").replaceChildren(thoughts(decision));
}
